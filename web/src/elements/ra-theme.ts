// The light and dark toggle: the choice is kept in this browser and wins over the system's.

import { isDark, schemeChanged } from "../colors.ts";
import { button, setText } from "../dom.ts";
import { THEME_KEY } from "../theme.ts";

export class Theme extends HTMLElement {
  connectedCallback(): void {
    const pressed = button("", () => {
      const next = isDark() ? "light" : "dark";
      document.documentElement.dataset.theme = next;
      try {
        localStorage.setItem(THEME_KEY, next);
      } catch {
        // Without storage the choice holds for this page only.
      }
      label();
      schemeChanged();
    });
    const label = (): void => setText(pressed, isDark() ? "Light" : "Dark");
    pressed.title = "Switch between light and dark";
    label();
    this.replaceChildren(pressed);
  }
}
