// Small helpers to make and find elements, without repeating the casts.

/** Makes an element with attributes and children. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: Array<Node | string>
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A button that does something. */
export function button(
  label: string,
  does: () => void,
  attributes: Readonly<Record<string, string>> = {},
): HTMLButtonElement {
  const made = el("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", does);
  return made;
}

/** Sets the text only when it differs, so that selections and screen readers are left in peace. */
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** A row of buttons of which one is pressed. */
export function choice<T extends string>(
  label: string,
  options: ReadonlyArray<readonly [T, string]>,
  chosen: () => T,
  choose: (value: T) => void,
): { element: HTMLElement; refresh: () => void } {
  const buttons = options.map(([value, text]) => button(text, () => choose(value), { "data-value": value }));
  const element = el("div", { class: "switch", role: "group", "aria-label": label }, ...buttons);
  const refresh = (): void => {
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.value === chosen()));
  };
  refresh();
  return { element, refresh };
}

/** A canvas as large as its box in device pixels; returns its pen with the scale set, or undefined when it has no size. */
export function sized(
  canvas: HTMLCanvasElement,
  height: number,
): { pen: CanvasRenderingContext2D; width: number } | undefined {
  const width = canvas.clientWidth;
  const pen = canvas.getContext("2d");
  if (width === 0 || pen === null) return undefined;
  const scale = window.devicePixelRatio;
  const wide = Math.round(width * scale);
  const high = Math.round(height * scale);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.height = `${height}px`;
  }
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, width };
}
