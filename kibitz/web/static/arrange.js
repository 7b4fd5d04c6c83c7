// Setting up a position by hand: choose what to put down, click where, and say who is to move. The server draws every
// step and says whether the position can be played.

import { announce, ask, button, el, toast } from "./dom.js";
import { Chooser } from "./moves.js";
import { SceneView } from "./scene.js";

export class Arranger {
  /** Begin with the position after a line; `done` is told the position as text, or null if it was called off. */
  constructor(line, done) {
    this.wanted = { ...line, cleared: false, edits: [], turn: undefined };
    this.done = done;
    this.item = 0;
    this.view = new SceneView("The board");
    this.items = el("div", { class: "choices", role: "group", "aria-label": "What to put down" });
    this.turn = el("select", { id: "arranged-turn", onchange: () => this.change({ turn: Number(this.turn.value) }) });
    this.turnLabel = el("label", { class: "arranged-turn", for: "arranged-turn" }, el("span", { text: "To move" }), this.turn);
    this.trouble = el("p", { class: "error", role: "status" });
    this.back = button("Undo", () => this.change({ edits: this.wanted.edits.slice(0, -1) }));
    this.use = button("Use this position", () => this.leave(this.found.position), { class: "primary" });
    this.panel = el("div", { class: "arranger" });
    this.chooser = new Chooser(this.view, ({ clicks }) => this.put(clicks), this.panel);
    this.chooser.finish = this.chooser.make; // nothing is played, so that nothing needs to be confirmed
    this.chooser.words = (options) => (options ? "Click where." : "There is no place for it.");
    this.panel.append(
      el("p", { class: "status", text: "Set up a position" }), this.items, this.chooser.bar, this.turnLabel, this.trouble,
      el("div", { class: "actions" }, this.use, this.back,
        button("Clear the board", () => this.change({ cleared: true, edits: [] })),
        button("Cancel", () => this.leave(null))));
  }

  put(clicks) {
    return this.change({ edits: [...this.wanted.edits, { item: this.item, clicks }] });
  }

  /** Ask for the position with some change; what cannot be stays as it was. */
  async change(changed = {}) {
    const wanted = { ...this.wanted, ...changed };
    try {
      this.found = await ask("/api/arrangements", JSON.stringify(wanted));
      this.wanted = wanted;
    } catch (error) {
      toast(error.message);
    }
    if (this.found) this.show();
  }

  show() {
    const { items, seats, turn, scene, error, chooses_turn: choosesTurn } = this.found;
    this.view.draw(scene, 2);
    this.items.replaceChildren(...items.map(({ say }, item) =>
      button(say, () => this.choose(item), { "aria-pressed": String(item === this.item) })));
    this.turnLabel.hidden = !choosesTurn;
    this.turn.replaceChildren(...seats.map((seat, player) => el("option", { value: player, selected: player === turn }, seat)));
    this.trouble.textContent = error ?? "";
    this.trouble.hidden = !error;
    this.use.disabled = Boolean(error);
    this.back.disabled = !this.wanted.edits.length;
    const { say, places } = items[this.item];
    this.chooser.offer(places.map((clicks, move) => ({ move, clicks, say, name: clicks.join(" "), landing: [] })));
    if (error) announce(error);
  }

  choose(item) {
    this.item = item;
    this.show();
    this.items.children[item].focus();
  }

  leave(position) {
    this.chooser.offer([]);
    this.done(position);
  }
}
