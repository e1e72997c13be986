// Copies text and says so on the button that was pressed.

const SAID_MS = 1600;

/** Puts the text on the clipboard; where that is not allowed, selects it in a box to copy by hand. */
export async function copyText(text: string, from: HTMLElement): Promise<void> {
  const label = from.dataset.label ?? from.textContent ?? "";
  from.dataset.label = label;
  try {
    await navigator.clipboard.writeText(text);
    from.textContent = "Copied";
  } catch {
    const box = document.createElement("textarea");
    box.value = text;
    box.rows = 12;
    box.setAttribute("aria-label", "text to copy");
    from.after(box);
    box.select();
    from.textContent = "Select and copy";
  }
  setTimeout(() => {
    from.textContent = label;
  }, SAID_MS);
}
