// The patches of a form, those of the chosen model: another model brings its own boxes, out of the page's templates. A box
// that needs others checks them, and takes with it those that need it.

export class Patches extends HTMLElement {
  connectedCallback(): void {
    const model = this.closest("form")?.querySelector<HTMLSelectElement>('select[name$="model"]:not([name^="device"])');
    // Before the form hears of the change, so that what it sends fits the model.
    model?.addEventListener("change", () => this.fit(model.value));
    this.addEventListener("change", (event) => {
      if (event.target instanceof HTMLInputElement) this.follow(event.target);
    });
  }

  private get boxes(): HTMLInputElement[] {
    return [...this.querySelectorAll("input")];
  }

  private fit(model: string): void {
    const checked = new Set(this.boxes.filter((box) => box.checked).map((box) => box.value));
    const template = [...this.querySelectorAll("template")].find((one) => one.dataset.model === model);
    const place = this.querySelector("div");
    if (template === undefined || place === null) return;
    place.replaceChildren(template.content.cloneNode(true));
    for (const box of this.boxes) box.checked = checked.has(box.value);
  }

  private follow(changed: HTMLInputElement): void {
    for (const box of this.boxes) {
      if (changed.checked && needs(changed).includes(box.value)) box.checked = true;
      if (!changed.checked && needs(box).includes(changed.value)) box.checked = false;
    }
  }
}

function needs(box: HTMLInputElement): string[] {
  return (box.dataset.needs ?? "").split(" ").filter((name) => name !== "");
}
