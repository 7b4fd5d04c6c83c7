// The review of a game: how accurately everyone played, how good each move was, and the way from mistake to mistake.

import { announce, button, called, el, spot } from "./dom.js";
import { badge, GRADES, isCostly } from "./grades.js";

const COUNTED = ["blunder", "mistake", "inaccuracy"];

export class Review {
  /** `show` brings up a position, `better` plays the best line there, `playOn` starts a game from it. */
  constructor({ show, better, playOn }) {
    this.show = show;
    this.moves = [];
    this.players = el("ul", { class: "accuracies", "aria-label": "Accuracy" });
    this.progress = el("progress", { max: 1, "aria-label": "Reviewing the game" });
    this.previous = button("‹ Previous mistake", () => this.go(-1), { title: "Previous mistake (P)" });
    this.next = button("Next mistake ›", () => this.go(1), { title: "Next mistake (N)" });
    this.mistakes = el("div", { class: "mistakes" }, this.previous, this.next);
    this.verdict = el("p", { class: "mistake-words" });
    this.better = button("Show the better line", better, { class: "primary" });
    this.again = button("Play on from here", playOn);
    this.note = el("div", { class: "mistake-note", hidden: true }, this.verdict, el("div", { class: "actions" }, this.better, this.again));
    this.section = el("section", { class: "review", "aria-label": "Review", hidden: true },
      this.players, this.progress, this.mistakes, this.note);
    document.addEventListener("keydown", (event) => this.key(event));
  }

  /** What the server says of all moves so far. */
  take({ moves, accuracy, progress }) {
    this.moves = moves;
    this.section.hidden = !moves.length;
    this.progress.value = progress;
    this.progress.classList.toggle("done", progress >= 1);
    this.players.replaceChildren(...accuracy.map((share, seat) => this.player(share, seat)));
    this.update(this.table);
  }

  player(share, seat) {
    const own = this.moves.filter((move) => move.seat === seat);
    const counts = COUNTED.flatMap((grade) => {
      const many = own.filter((move) => move.grade === grade).length;
      const { words, many: plural, sign } = GRADES[grade];
      return many ? el("span", { class: `count-of ${grade}`, title: `${many} ${many === 1 ? words : plural}` }, `${many} `, el("b", { text: sign })) : [];
    });
    const none = own.length ? "no mistakes" : "no choices";
    return el("li", {},
      el("span", { class: "whose" }, spot(seat), called(this.table, seat)),
      el("b", { class: "accuracy", text: share === null ? "–" : `${Math.round(100 * share)} %` }),
      el("small", {}, share === null ? "nothing at stake" : "accuracy"),
      el("small", { class: "counts" }, counts.length ? counts : none));
  }

  /** The position that is shown has changed. */
  update(table) {
    this.table = table;
    if (!table) return;
    const costly = this.moves.filter(isCostly);
    this.previous.disabled = !costly.some(({ ply }) => ply - 1 < table.ply);
    this.next.disabled = !costly.some(({ ply }) => ply - 1 > table.ply);
    this.mistakes.hidden = !costly.length;
    const move = this.moves.find(({ ply }) => ply - 1 === table.ply);
    const isShown = Boolean(move && isCostly(move));
    this.note.hidden = !isShown;
    if (!isShown) return;
    const { ply, seat, say, say_best: best, grade, cost } = move;
    const who = called(table, seat);
    const share = table.utilities ? "" : " of the win";
    this.verdict.replaceChildren(
      badge(grade), ` Move ${ply}: ${who} played `, el("b", { text: say }), `, which gave away ${cost}${share}. Better was `, el("b", { text: best }), ".");
  }

  /** Go to the next or the previous mistake: the position in which it was made. */
  go(way) {
    const costly = this.moves.filter(isCostly).map(({ ply }) => ply - 1);
    const found = way > 0 ? costly.find((ply) => ply > this.table.ply) : costly.findLast((ply) => ply < this.table.ply);
    if (found === undefined) return;
    this.show(found);
    const { grade, seat } = this.moves.find(({ ply }) => ply - 1 === found);
    announce(`Move ${found + 1}, ${called(this.table, seat)}: ${GRADES[grade].words}`);
  }

  key(event) {
    if (this.section.hidden || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea, dialog") || !this.table?.over) return;
    if (event.key === "n") this.go(1);
    else if (event.key === "p") this.go(-1);
  }
}
