// Follows work of the service that goes on in the background: tells how far it is, and shows the page anew when it is
// done. Without JavaScript the page itself comes again.

import { el, setText } from "../dom.ts";

const EVERY_MS = 1000;

interface Standing {
  finished: boolean;
  done: number;
  cases: number;
}

export class Progress extends HTMLElement {
  private timer: number | undefined;
  private readonly words = el("p", { role: "status" });

  connectedCallback(): void {
    this.words.textContent = this.textContent?.trim() ?? "";
    this.replaceChildren(this.words);
    this.timer = window.setInterval(() => void this.look(), EVERY_MS);
  }

  disconnectedCallback(): void {
    window.clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const response = await fetch(this.getAttribute("href") ?? "").catch(() => undefined);
    if (response?.ok !== true) return;
    const { finished, done, cases } = (await response.json()) as Standing;
    if (finished) {
      window.clearInterval(this.timer);
      location.reload();
      return;
    }
    setText(this.words, `Running: ${done} of ${cases} cases so far.`);
    const bar = document.querySelector<HTMLProgressElement>("progress");
    if (bar !== null) bar.value = done;
  }
}
