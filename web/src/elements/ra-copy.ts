// A button that copies: the text behind `href`, or the address of this page, with the moment of its stage, when there is none. Without JavaScript its
// content, a link, stays.

import { copyText } from "../copy.ts";
import { button } from "../dom.ts";
import { Stage } from "./ra-stage.ts";

export class Copy extends HTMLElement {
  connectedCallback(): void {
    const label = this.getAttribute("label") ?? this.textContent ?? "Copy";
    const href = this.getAttribute("href");
    const pressed = button(label, () => {
      void this.copy(href, pressed);
    });
    this.replaceChildren(pressed);
  }

  private async copy(href: string | null, from: HTMLButtonElement): Promise<void> {
    if (href === null) {
      const stage = this.closest("ra-stage");
      const address = new URL(location.href);
      if (stage instanceof Stage) address.hash = `at-${Math.round(stage.clock.at)}`;
      await copyText(address.href, from);
      return;
    }
    const response = await fetch(href);
    if (response.ok) await copyText(await response.text(), from);
    else from.textContent = "Not ready yet";
  }
}
