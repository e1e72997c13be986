// Takes the parts of a page that the server renders from the finished run, once it is finished: the answers, tables and
// figures have one author, the server.

/** Fetches the page again and swaps every element with `data-answer` whose text has changed. */
export async function refreshAnswers(): Promise<void> {
  const pending = document.querySelectorAll("[data-answer=pending]");
  if (pending.length === 0) return;
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const response = await fetch(location.href, { headers: { accept: "text/html" } });
    if (!response.ok) return;
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    if (fresh.querySelector("[data-answer=pending]") === null) {
      for (const old of pending) {
        const next = old.id === "" ? null : fresh.getElementById(old.id);
        if (next !== null) old.replaceWith(document.adoptNode(next));
      }
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
