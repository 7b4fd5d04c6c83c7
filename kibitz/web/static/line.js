// A line of play on the board, step by step, without leaving the game: the server says what each step looks like.

import { announce, ask, button, el, toast } from "./dom.js";
import { preferences } from "./preferences.js";

export class LinePlayer {
  /** `draw` shows a position, `left` is called when the line is closed. */
  constructor(draw, left) {
    this.draw = draw;
    this.left = left;
    this.words = el("output", { class: "line-words" });
    this.back = button("‹", () => this.show(this.step - 1), { class: "key", "aria-label": "Previous move of the line" });
    this.forward = button("›", () => this.show(this.step + 1), { class: "key", "aria-label": "Next move of the line" });
    this.bar = el("div", { class: "line-bar", role: "group", "aria-label": "A line of play", hidden: true },
      this.back, this.words, this.forward, button("Back to the game", () => this.close(), { class: "primary" }));
    document.addEventListener("keydown", (event) => this.key(event), { capture: true });
  }

  get isOpen() {
    return !this.bar.hidden;
  }

  /** Show the first move of a line: where it begins, as the server is asked for it, its moves and their names. */
  async open(start, moves, names) {
    Object.assign(this, { start, moves, names, known: [] });
    this.bar.hidden = false;
    await this.show(1);
  }

  async show(step) {
    if (step < 0 || step > this.moves.length) return;
    this.step = step;
    this.back.disabled = step === 0;
    this.forward.disabled = step === this.moves.length;
    this.words.replaceChildren(...this.names.map((name, i) => el(i + 1 === step ? "b" : "span", { text: name })));
    this.words.children[Math.max(0, step - 1)]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    const line = { ...this.start, moves: this.moves.slice(0, step), since: Math.max(0, this.start.ply + step - 1) };
    try {
      this.known[step] ??= await ask("/api/positions", JSON.stringify(line));
    } catch (error) {
      toast(error.message);
      return;
    }
    if (!this.isOpen || this.step !== step) return; // somebody is quicker than the server
    announce(step ? `${this.names[step - 1]}. ${this.known[step].status}` : "The position in the game");
    await this.draw(this.known[step], preferences.speed);
  }

  /** Leave the line; the game is shown again unless something else is about to be. */
  close(isShown = true) {
    if (!this.isOpen) return;
    this.bar.hidden = true;
    this.left(isShown);
  }

  key(event) {
    if (!this.isOpen || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, dialog")) return;
    if (event.key === "ArrowLeft") this.show(this.step - 1);
    else if (event.key === "ArrowRight") this.show(this.step + 1);
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}
