// Uploads a trace by choosing or dropping it, with progress. The form inside works by itself without JavaScript.

import { el, setText } from "../dom.ts";
import * as format from "../lib/format.ts";

export class Upload extends HTMLElement {
  private readonly bar = el("progress", { max: "1", value: "0", "aria-label": "upload" });
  private readonly words = el("p", { class: "note", "aria-live": "polite" });

  connectedCallback(): void {
    const form = this.querySelector("form");
    const input = this.querySelector<HTMLInputElement>("input[type=file]");
    if (form === null || input === null) return;
    this.bar.hidden = true;
    form.append(this.bar, this.words);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [file] = input.files ?? [];
      if (file === undefined) setText(this.words, "Choose a file first.");
      else this.send(form.action, file);
    });
    input.addEventListener("change", () => form.requestSubmit());
    this.acceptDrops(form);
  }

  private acceptDrops(form: HTMLFormElement): void {
    for (const name of ["dragenter", "dragover"]) {
      this.addEventListener(name, (event) => {
        event.preventDefault();
        form.classList.add("over");
      });
    }
    this.addEventListener("dragleave", () => form.classList.remove("over"));
    this.addEventListener("drop", (event) => {
      event.preventDefault();
      form.classList.remove("over");
      const [file] = event.dataTransfer?.files ?? [];
      if (file !== undefined) this.send(form.action, file);
    });
  }

  private send(action: string, file: File): void {
    const body = new FormData();
    body.append("file", file, file.name);
    const request = new XMLHttpRequest();
    request.open("POST", action);
    request.setRequestHeader("accept", "text/html");
    this.bar.hidden = false;
    request.upload.addEventListener("progress", (event) => {
      if (!event.lengthComputable) return;
      this.bar.value = event.loaded / event.total;
      const done = event.loaded === event.total;
      setText(
        this.words,
        done
          ? `${file.name}: ${format.bytes(event.total)} are there; reading them.`
          : `${file.name}: ${format.bytes(event.loaded)} of ${format.bytes(event.total)}.`,
      );
    });
    request.addEventListener("load", () => {
      if (request.status < 400 && request.responseURL !== "" && request.responseURL !== action) {
        location.assign(request.responseURL);
      } else {
        this.bar.hidden = true;
        setText(this.words, problemIn(request.responseText) ?? `The server answered ${request.status}; try again.`);
      }
    });
    request.addEventListener("error", () => {
      this.bar.hidden = true;
      setText(this.words, "The upload was cut off. Check that the server runs, then try again.");
    });
    request.send(body);
  }
}

/** The sentence of a problem page. */
function problemIn(html: string): string | undefined {
  const text = new DOMParser().parseFromString(html, "text/html").querySelector("[data-problem]")?.textContent?.trim();
  return text === undefined || text === "" ? undefined : text;
}
