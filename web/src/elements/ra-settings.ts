// A settings form that runs again at once when a value is changed (not with the attribute `wait`). What the service does
// not take is said beside its field, and the page stays. Without JavaScript the form's button does the same by itself.

import { el } from "../dom.ts";

export class Settings extends HTMLElement {
  private readonly said = el("p", { class: "note warn", role: "alert" });

  connectedCallback(): void {
    const form = this.querySelector("form");
    if (form === null) return;
    if (!this.hasAttribute("wait")) {
      form.addEventListener("change", (event) => {
        if (!(event.target instanceof HTMLTextAreaElement)) form.requestSubmit();
      });
    }
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.send(form);
    });
  }

  private async send(form: HTMLFormElement): Promise<void> {
    this.say(form, undefined, "");
    const body = new URLSearchParams();
    for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value);
    try {
      const response = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } });
      if (response.ok) {
        location.assign(response.url);
        return;
      }
      const problem: unknown = await response.json();
      this.say(form, text(problem, "place"), text(problem, "detail") ?? `The service answered ${response.status}.`);
    } catch {
      this.say(form, undefined, "The service could not be reached; nothing was changed.");
    }
  }

  /** Says what is wrong beside the field of that name, or below the form; nothing takes it back. */
  private say(form: HTMLFormElement, place: string | undefined, words: string): void {
    for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
    this.said.remove();
    if (words === "") return;
    this.said.textContent = words;
    const field = place === undefined ? null : form.querySelector(`[name="${CSS.escape(place)}"]:not([type=hidden])`);
    if (field === null) {
      form.append(this.said);
      return;
    }
    field.setAttribute("aria-invalid", "true");
    field.after(this.said);
    if (field instanceof HTMLElement) field.focus();
  }
}

function text(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return typeof found === "string" ? found : undefined;
}
