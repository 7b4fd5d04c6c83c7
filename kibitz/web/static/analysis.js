// The analysis panel: all moves ranked, the chance of winning over time, and the moves that lost the most. It gets
// better for as long as the panel is open.

import { button, called, capital, el, spot, svg, unseen, whileLookedAt } from "./dom.js";

const WIDTH = 320, HEIGHT = 120; // of the plot, in its own units
const BLUNDERS = 8;

export class Analysis {
  /** `preview` shows a move's clicks on the board. */
  constructor(send, preview) {
    this.send = send;
    this.preview = preview;
    this.isOpen = false;
    this.note = el("p", { class: "note" });
    this.ranking = el("ol", { class: "ranking", "aria-label": "Moves from best to worst" });
    const viewBox = `0 0 ${WIDTH} ${HEIGHT}`;
    this.plot = svg("svg", { class: "plot", viewBox, role: "img", preserveAspectRatio: "none" });
    this.plot.addEventListener("click", (event) => this.showAt(event));
    this.blunders = el("ol", { class: "blunders" });
    this.axis = el("div", { class: "chart" }, this.plot);
    this.heading = el("h2", { text: "Chance of winning" });
    this.course = el("section", { class: "course", hidden: true }, this.heading, this.axis);
    this.costly = el("section", { class: "course", hidden: true }, el("h2", { text: "Costly moves" }), this.blunders);
    this.key = el("p", { class: "network-key", hidden: true },
      el("span", { class: "bar network", "aria-hidden": "true" }), "the network’s probability, without search");
    this.panel = el("div", { class: "analysis" }, this.course, this.note, this.key, this.ranking, this.costly);
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
    if (on && !this.ranking.childElementCount) this.note.textContent = "Thinking …";
  }

  update(table) {
    const before = this.table;
    const elsewhere = before && ["ply", "plies", "over"].some((what) => before[what] !== table[what]);
    this.table = table;
    this.heading.textContent = table.utilities ? "Expected utility" : "Chance of winning";
    [this.axis.dataset.least, this.axis.dataset.most] = table.utilities ?? ["0 %", "100 %"];
    if (this.isOpen && elsewhere && table.can.analyse) {
      this.ask();
      if (table.plies !== this.charted || table.over !== before.over) this.send({ type: "review", on: true });
    }
    if (elsewhere) this.drawPlot();
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
    const best = Math.max(...moves.map((move) => move.value));
    this.key.hidden = !moves.some((move) => move.network);
    const focused = document.activeElement?.dataset?.ranked;
    this.ranking.replaceChildren(...moves.map((move) => this.row(move, best)));
    if (focused) this.ranking.querySelector(`[data-ranked="${CSS.escape(focused)}"]`)?.focus();
  }

  row(move, best) {
    const clicks = move.clicks ?? this.table.moves?.find((other) => other.move === move.move)?.clicks ?? [];
    const listeners = whileLookedAt(() => this.preview(clicks), () => this.preview());
    const line = (move.say_line ?? []).slice(1).join(", ");
    const { network } = move;
    return el("li", { tabindex: 0, "data-ranked": move.move, ...listeners },
      el("b", { text: capital(move.say) }), bar(move.value, move.value >= best - 0.005 ? " best" : ""),
      el("span", { class: "value", text: move.words }),
      network && bar(network.value, " network"),
      network && el("span", { class: "network-value" }, unseen("the network: "), network.words),
      line ? el("small", { text: `then ${line}` }) : null);
  }

  chart({ points, ends, blunders, done }) {
    this.points = points;
    this.ends = ends;
    this.charted = done ? this.table.plies : -1;
    this.course.hidden = this.costly.hidden = points.length < 2;
    this.drawPlot();
    this.blunders.replaceChildren(...blunders.slice(0, BLUNDERS).map((blunder) => this.blunder(blunder)));
    const none = done ? "No costly moves." : "Searching …";
    if (!blunders.length) this.blunders.append(el("li", { class: "empty", text: none }));
  }

  blunder({ ply, seat, say, say_best: best, cost }) {
    const row = [
      spot(seat), unseen(`${called(this.table, seat)}: `), el("b", { text: `${ply}. ${say}` }),
      el("span", { class: "lost", text: `−${cost}` }), el("small", { text: `better: ${best}` }),
    ];
    const show = () => this.send({ type: "show", ply: ply - 1 });
    return el("li", {}, button(row, show, { title: "Show the position before this move" }));
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
    const now = svg("path", { class: "now", d: `M${x(this.table.ply)},0V${HEIGHT}` });
    this.plot.replaceChildren(...grid, ...lines.flat(), now);
    const ends = this.ends.flatMap((words, player) => (words ? `${called(this.table, player)} ${words}` : []));
    this.plot.setAttribute("aria-label", `${this.heading.textContent} over time; at the end: ${ends.join(", ")}`);
  }

  showAt(event) {
    const box = this.plot.getBoundingClientRect();
    this.send({ type: "show", ply: Math.round(((event.clientX - box.left) / box.width) * this.table.plies) });
  }
}

/** A value from 0 to 1 as a bar. */
function bar(value, kind) {
  const drawn = el("span", { class: `bar${kind}`, "aria-hidden": "true" });
  drawn.style.setProperty("--value", value);
  return drawn;
}
