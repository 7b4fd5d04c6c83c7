// A position to find a move in: the task of a lesson, or a puzzle. The board and the clicks are those of a table; the
// server says whether a move is right, once it has been tried.

import { announce, ask, button, coloursOf, el, paintSeats, toast } from "./dom.js";
import { Chooser } from "./moves.js";
import { preferences } from "./preferences.js";
import { SceneView } from "./scene.js";

export class Exercise {
  /** `address`: where the position is, and where moves are tried; `scope`: the element that the board and the bar are in. */
  constructor(address, scope) {
    this.address = address;
    this.scope = scope;
    this.tried = () => {}; // is told what the server says of a move
    this.verdict = el("p", { class: "verdict", tabindex: -1 });
    this.after = el("div", { class: "actions" });
  }

  async open() {
    this.position = await ask(this.address);
    const { scene, text, title } = this.position;
    this.view = scene && new SceneView(`The board of ${title}`);
    this.words = el("pre", { class: "text-board", text });
    this.chooser = new Chooser(this.view, (move) => this.attempt(move), this.scope);
    this.bar = el("div", { class: "exercise-bar" }, this.verdict, this.chooser.bar, this.after);
    if (!scene) this.chooser.bar.append(this.chooser.list);
    this.board = el("div", { class: "exercise-board" }, this.view ? this.view.svg : this.words);
    const colours = coloursOf(this.position);
    paintSeats(colours.map((pair, seat) => scene?.palette?.[`seat-${seat}`] ?? pair));
    this.set();
    return this.position;
  }

  /** Show the position, with its moves to choose from. */
  set() {
    this.scope.dataset.state = "asked";
    this.say("");
    this.after.replaceChildren();
    this.draw(this.position);
    this.chooser.offer(this.position.moves);
  }

  draw({ scene, text }) {
    if (this.view && scene) return this.view.draw(scene, preferences.speed);
    this.words.textContent = text;
    return Promise.resolve();
  }

  say(words) {
    this.verdict.textContent = words;
    this.verdict.hidden = !words;
  }

  async attempt({ move }) {
    const byKeyboard = this.chooser.byKeyboard || this.scope.contains(document.activeElement);
    let answer;
    try {
      answer = await ask(this.address, JSON.stringify({ move }));
    } catch (error) {
      toast(error.message);
      return this.set();
    }
    this.scope.dataset.state = answer.right ? "right" : "wrong";
    this.say(`${answer.right ? "Right." : "Not quite."} ${answer.words}`);
    announce(this.verdict.textContent);
    for (const scene of answer.steps) await this.draw({ scene });
    await this.draw(answer);
    this.tried(answer, this);
    if (byKeyboard) (this.after.querySelector("button, a") ?? this.verdict).focus();
  }

  /** What can be done after an attempt. */
  offer(...buttons) {
    this.after.replaceChildren(...buttons);
  }

  /** A button that shows the position again. */
  again(words = "Try again") {
    return button(words, () => {
      this.set();
      this.view?.focus();
    });
  }
}
