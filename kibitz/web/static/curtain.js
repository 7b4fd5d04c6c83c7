// The curtain: where several people share a device and have secrets, nobody sees the next hand before it is passed on.

import { button, called, el } from "./dom.js";

export class Curtain {
  constructor() {
    this.seat = null; // whose secrets are shown
  }

  /** Wait until the right person looks, if the table shows the secrets of another one than before. */
  async raiseFor(table) {
    const { eyes } = table;
    if (eyes === null || eyes === this.seat) return;
    this.seat = eyes;
    const name = called(table, eyes);
    await new Promise((ready) => {
      const dialog = el("dialog", { class: "curtain", oncancel: (event) => event.preventDefault() },
        el("h2", { text: `Pass the device to ${name}` }), el("p", { text: "Everyone else, please look away." }),
        button(`I am ${name}`, () => dialog.close(), { class: "primary" }));
      dialog.addEventListener("close", () => {
        dialog.remove();
        ready();
      });
      document.body.append(dialog);
      dialog.showModal();
    });
  }
}
