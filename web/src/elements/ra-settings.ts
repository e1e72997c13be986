// A settings form that runs again at once when a value is changed. Without JavaScript its button does the same.

export class Settings extends HTMLElement {
  connectedCallback(): void {
    const form = this.querySelector("form");
    if (form === null) return;
    form.addEventListener("change", (event) => {
      const { target } = event;
      if (target instanceof HTMLTextAreaElement) return;
      if (form.reportValidity()) form.requestSubmit();
    });
  }
}
