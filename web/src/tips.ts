// Terms of art explain themselves on hover and focus. The text is in the page already, for `aria-describedby`; without
// JavaScript the term is a link to the glossary.

let shown: HTMLElement | undefined;

function hide(): void {
  shown?.remove();
  shown = undefined;
}

function show(term: HTMLElement): void {
  hide();
  const source = document.getElementById(term.getAttribute("aria-describedby") ?? "");
  if (source === null) return;
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("aria-hidden", "true");
  tip.textContent = source.textContent;
  document.body.append(tip);
  const box = term.getBoundingClientRect();
  const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
  tip.style.left = `${Math.max(8, Math.min(box.left, room)) + window.scrollX}px`;
  const below = box.bottom + 6;
  const above = box.top - tip.offsetHeight - 6;
  const top = below + tip.offsetHeight > window.innerHeight && above > 0 ? above : below;
  tip.style.top = `${top + window.scrollY}px`;
  shown = tip;
}

/** Starts to listen. */
export function explainTerms(): void {
  const termOf = (target: EventTarget | null): HTMLElement | null =>
    target instanceof Element ? target.closest<HTMLElement>("a.term") : null;
  for (const [on, off] of [
    ["pointerover", "pointerout"],
    ["focusin", "focusout"],
  ] as const) {
    document.addEventListener(on, (event) => {
      const term = termOf(event.target);
      if (term !== null) show(term);
    });
    document.addEventListener(off, (event) => {
      if (termOf(event.target) !== null) hide();
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
}
