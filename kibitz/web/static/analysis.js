// The analysis panel: the review of the game, the chances over time, and all moves of the position, ranked. It gets
// better for as long as the panel is open.

import { called, el, spot, svg } from "./dom.js";
import { isCostly } from "./grades.js";
import { Ranking } from "./ranking.js";
import { Review } from "./review.js";

const WIDTH = 320, HEIGHT = 120; // of the plot, in its own units
const OFTEN = 10; // plies after which a game of bots is reviewed again

export class Analysis {
  /** `send` asks the server; `preview` shows a move's clicks on the board, `follow` plays a line there, `rank` is told
   * the ranked moves, `grade` those of the whole game; `playOn` starts a game from the position shown. */
  constructor({ send, preview, follow, rank, grade, playOn }) {
    this.send = send;
    this.follow = follow;
    this.ranked = rank;
    this.grade = grade;
    this.isOpen = false;
    this.note = el("p", { class: "note" });
    this.ranking = new Ranking(preview, (move) => follow(move));
    this.review = new Review({
      show: (ply) => send({ type: "show", ply }),
      better: () => this.followBest(),
      playOn,
    });
    const viewBox = `0 0 ${WIDTH} ${HEIGHT}`;
    this.plot = svg("svg", { class: "plot", viewBox, role: "img", preserveAspectRatio: "none" });
    this.plot.addEventListener("click", (event) => this.showAt(event));
    this.axis = el("div", { class: "chart" }, this.plot);
    this.heading = el("h2", { text: "Chance of winning" });
    this.course = el("section", { class: "course", hidden: true }, this.heading, this.axis);
    this.board = el("a", { class: "button" }, "Open on the analysis board");
    this.panel = el("div", { class: "analysis" },
      this.review.section, this.course, this.note, this.ranking.key, this.ranking.list, this.board);
  }

  look(on) {
    this.isOpen = on;
    if (!this.table) return;
    if (!this.table.can.analyse) {
      this.note.textContent = "This game can be analysed when it is over.";
      return;
    }
    this.ask();
    this.send({ type: "review", on });
    if (on && !this.ranking.moves.length) this.note.textContent = "Thinking …";
    if (!on) this.ranked([]);
  }

  update(table) {
    const before = this.table;
    const elsewhere = before && ["ply", "plies", "over"].some((what) => before[what] !== table[what]);
    this.table = table;
    this.heading.textContent = table.utilities ? "Expected utility" : "Chance of winning";
    [this.axis.dataset.least, this.axis.dataset.most] = table.utilities ?? ["0 %", "100 %"];
    this.board.href = `/analyse?table=${encodeURIComponent(table.id)}&ply=${table.ply}`;
    this.board.hidden = !table.can.analyse || !this.mayFollow;
    this.review.update(table);
    if (this.isOpen && elsewhere && table.can.analyse) {
      this.forget();
      this.ask();
      if (this.isDue(table, before)) this.send({ type: "review", on: true });
    }
    if (elsewhere) this.drawPlot();
  }

  /** The ranking was of another position. */
  forget() {
    this.isAwaited = false;
    this.ranking.show([], false);
    this.ranked([]);
    this.note.textContent = "Thinking …";
  }

  /** Play the best line of this position, as soon as there is one. */
  followBest() {
    const [best] = this.ranking.moves;
    this.isAwaited = !best;
    if (best) this.follow(best);
  }

  /** Whether the game has to be reviewed anew: bots among themselves move too often to do so after each move. */
  isDue(table, before) {
    if (table.over !== before.over) return true;
    const isWatched = !table.you.length && !table.over;
    return Math.abs(table.plies - (this.charted ?? 0)) >= (isWatched ? OFTEN : 1);
  }

  /** Lines can be tried out where nothing is hidden. */
  get mayFollow() {
    return this.table.over || this.table.eyes === null && !this.table.hides;
  }

  ask() {
    this.send({ type: "analyse", on: this.isOpen, ply: this.table.ply });
  }

  rank({ ply, player, work, exact, done, outlook, moves = [] }) {
    if (!this.isOpen || ply !== this.table.ply) return;
    const how = exact ? "exact" : [work, done ? "" : "still thinking …"].filter(Boolean).join(", ");
    const chance = outlook ? `: ${outlook}` : "";
    const whose = player >= 0 ? [spot(player), `${called(this.table, player)} to move${chance}`] : [];
    this.note.replaceChildren(...whose, ...(how ? [el("small", { text: how })] : []));
    this.ranking.show(moves, this.mayFollow);
    this.ranked(moves);
    if (this.isAwaited && moves.length) this.followBest();
  }

  chart(message) {
    const { points, ends, moves } = message;
    this.points = points;
    this.ends = ends;
    this.charted = this.table.plies;
    this.course.hidden = points.length < 2;
    this.costly = moves.filter(isCostly);
    this.review.table = this.table;
    this.review.take(message);
    this.grade(moves);
    this.drawPlot();
  }

  drawPlot() {
    if (!this.points || this.points.length < 2) return;
    const last = Math.max(1, this.table.plies);
    const x = (ply) => ((ply / last) * WIDTH).toFixed(1), y = (value) => ((1 - value) * HEIGHT).toFixed(1);
    const grid = [0.25, 0.5, 0.75].map((value) => svg("path", { class: "grid", d: `M0,${y(value)}H${WIDTH}` }));
    const lines = this.table.seats.map((seat, player) => {
      const known = this.points.filter(({ values }) => typeof values[player] === "number"); // of many only the mover's
      const places = known.map(({ ply, values }) => `${x(ply)},${y(values[player])}`);
      const d = places.length ? `M${places.join("L")}` : "";
      const line = svg("path", { class: "share", d });
      line.style.stroke = `var(--seat-${player})`;
      return [svg("path", { class: "rim", d }), line]; // without a rim, an ivory line would not show on paper
    });
    const marks = this.costly.map(({ ply, grade }) => svg("path", { class: `costly ${grade}`, d: `M${x(ply - 1)},${HEIGHT - 1}v-9` }));
    const now = svg("path", { class: "now", d: `M${x(this.table.ply)},0V${HEIGHT}` });
    this.plot.replaceChildren(...grid, ...lines.flat(), ...marks, now);
    const ends = this.ends.flatMap((words, player) => (words ? `${called(this.table, player)} ${words}` : []));
    this.plot.setAttribute("aria-label", `${this.heading.textContent} over time; at the end: ${ends.join(", ")}`);
  }

  showAt(event) {
    const box = this.plot.getBoundingClientRect();
    this.send({ type: "show", ply: Math.round(((event.clientX - box.left) / box.width) * this.table.plies) });
  }
}
