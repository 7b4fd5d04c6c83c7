// Charts of ratings, in the look of the reports: an interval for each bot, and the course of the ratings.

import { el, svg } from "./dom.js";

const ROW = 30; // the height of a track, in pixels
const HEIGHT = 290, LEFT = 52, RIGHT = 12, TOP = 10, BOTTOM = 26; // of the course and its margins
const STEPS = 5; // between ticks, about

/** An axis with round ends that covers all values: where a value lies, from 0 to 1, and the ticks. */
export function axisOf(values, steps = STEPS) {
  const low = Math.min(...values), high = Math.max(...values);
  const least = Math.max((high - low) / steps, 1e-9);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((wide) => wide >= least * (1 - 1e-9));
  const first = Math.floor(low / step + 1e-9), last = Math.max(Math.ceil(high / step - 1e-9), first + 1);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  const [begin, end] = [ticks[0], ticks.at(-1)];
  return { ticks, at: (value) => Math.min(Math.max((value - begin) / (end - begin), 0), 1) };
}

/** A rating, with its sign. */
export function signed(value) {
  const whole = Math.round(value);
  return whole > 0 ? `+${whole}` : whole < 0 ? `−${-whole}` : "0";
}

/** A rating and half the width of its interval. */
export function rated({ rating, low, high }) {
  return rating === null ? "–" : `${signed(rating)} ± ${Math.round((high - low) / 2)}`;
}

const percent = (part) => `${(100 * part).toFixed(2)}%`;

/** A dot within an interval, on lines at the ticks; `mark` moves them. */
export class Track {
  constructor() {
    this.grid = svg("g", {});
    this.reach = svg("rect", { class: "reach", y: ROW / 2 - 2, height: 4, rx: 2 });
    this.dot = svg("circle", { class: "estimate", cy: ROW / 2, r: 5 });
    this.title = svg("title", {});
    this.picture = svg("svg", { class: "track", width: "100%", height: ROW, role: "img" }, this.title, this.grid, this.reach, this.dot);
  }

  mark(axis, { at, low, high, reference, words }) {
    this.title.textContent = words;
    const lines = axis.ticks.map((tick) => [tick, "grid"]);
    if (reference !== undefined) lines.push([reference, "reference"]);
    this.grid.replaceChildren(...lines.map(([value, kind]) =>
      svg("line", { class: kind, x1: percent(axis.at(value)), x2: percent(axis.at(value)), y1: 0, y2: ROW })));
    const isKnown = at !== null;
    for (const shape of [this.reach, this.dot]) shape.toggleAttribute("hidden", !isKnown);
    if (!isKnown) return;
    this.reach.setAttribute("x", percent(axis.at(low)));
    this.reach.setAttribute("width", percent(axis.at(high) - axis.at(low)));
    this.dot.setAttribute("cx", percent(axis.at(at)));
  }
}

/** The ticks below tracks. */
export function scale(axis) {
  return svg("svg", { class: "scale", width: "100%", height: 18, "aria-hidden": "true" },
    axis.ticks.map((tick) => svg("text", { x: percent(axis.at(tick)), y: 13, "text-anchor": "middle" }, signed(tick))));
}

/** How the ratings have changed from game to game: a line for each bot, in its colour. */
export class Course {
  constructor() {
    this.picture = svg("svg", { class: "lines", role: "img", height: HEIGHT, width: "100%" });
    new ResizeObserver(() => this.draw()).observe(this.picture);
  }

  update(tournament) {
    this.tournament = tournament;
    this.draw();
  }

  draw() {
    const width = this.picture.clientWidth;
    if (!this.tournament || !width) return;
    const { bots, games, standings: { course } } = this.tournament;
    this.picture.setAttribute("aria-label", `The ratings of ${bots.length} bots after ${course.length} numbers of games.`);
    const values = axisOf(course.flatMap(({ ratings }) => ratings).concat(0));
    const numbers = axisOf([0, Math.max(games, 1)], 4);
    const x = (played) => LEFT + (width - LEFT - RIGHT) * Math.min(played / games, 1);
    const y = (rating) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - values.at(rating));
    const rows = values.ticks.map((tick) => [
      svg("line", { class: tick ? "grid" : "reference", x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick) }),
      svg("text", { x: LEFT - 8, y: y(tick) + 4, "text-anchor": "end" }, signed(tick)),
    ]);
    const columns = numbers.ticks.filter((tick) => tick <= games && Number.isInteger(tick)).map((tick) =>
      svg("text", { x: x(tick), y: HEIGHT - 6, "text-anchor": tick ? "middle" : "start" }, tick ? tick.toLocaleString("en") : "0 games"));
    const lines = bots.map((_, bot) => {
      const points = course.map(({ played, ratings }) => [x(played), y(ratings[bot])]);
      const [endX, endY] = points.at(-1) ?? [];
      return points.length > 0 && [
        svg("polyline", { class: `line bot-${bot}`, points: points.map((point) => point.map((v) => v.toFixed(1)).join(",")).join(" ") }),
        svg("circle", { class: `end bot-${bot}`, cx: endX, cy: endY, r: 4 }),
      ];
    });
    this.picture.replaceChildren(...[rows, columns, lines].flat(3).filter(Boolean));
  }
}

/** A table that scrolls by itself where it is too wide. */
export function scrolling(label, table) {
  return el("div", { class: "scroll", role: "region", "aria-label": label, tabindex: 0 }, table);
}
