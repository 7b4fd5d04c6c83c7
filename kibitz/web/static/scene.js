// A scene as SVG. Pieces are kept by name: a piece that is somewhere else in the next scene glides there, a new one
// comes from where it `appears` (it falls, if that is straight above) or fades in, one that is gone fades out.

import { calm, svg } from "./dom.js";
import { area, largest, outline, silhouette } from "./shapes.js";

const PAGE_PAINTS = new Set(["paper", "ink", "faint", "line", "accent", "good", "bad"]);
const GLIDE = 380; // milliseconds
const REACH = 22; // CSS pixels: how far beside a piece a finger may land

export class SceneView {
  constructor(label, role = "group") {
    this.layer = svg("g");
    this.leaving = svg("g", { "aria-hidden": "true" });
    this.foreseen = svg("g", { class: "foreseen", "aria-hidden": "true" });
    this.svg = svg("svg", { class: "scene", role, "aria-label": label }, this.layer, this.foreseen, this.leaving);
    this.pieces = new Map(); // name → {group, piece, shapes, transform}
    this.moving = [];
    this.options = new Set();
    this.isPlayed = role === "group";
  }

  /** Draw a scene in place of the one shown; the promise is kept when everything has arrived. */
  draw(scene, speed = 1) {
    this.settle();
    const focused = document.activeElement?.dataset?.piece;
    const glides = speed > 0 && this.pieces.size > 0 && !calm.matches && !document.hidden;
    this.duration = GLIDE / speed;
    this.spread(scene);
    const names = new Set(scene.pieces.map(({ name }) => name));
    this.rename(scene.pieces, names);
    for (const [name, shown] of this.pieces) if (!names.has(name)) this.remove(name, shown, glides);
    let place = this.layer.firstChild;
    for (const piece of scene.pieces) {
      const shown = this.pieces.get(piece.name) ?? this.lay(piece);
      this.update(shown, piece, glides);
      if (shown.group === place) place = place.nextSibling;
      else this.layer.insertBefore(shown.group, place);
    }
    if (focused && document.activeElement?.dataset?.piece !== focused) this.focus(focused);
    return Promise.allSettled(this.moving.map((animation) => animation.finished));
  }

  /** Everything that moves is where it was going. */
  settle() {
    for (const animation of this.moving) animation.finish();
    this.moving = [];
  }

  spread({ width, height, palette = {} }) {
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.style.setProperty("--shape", width / height);
    for (const [name, [day, night]] of Object.entries(palette)) {
      const isSeat = name.startsWith("seat-"); // at a table people choose, in still pictures the game does
      if (isSeat && this.isPlayed) continue;
      this.svg.style.setProperty(isSeat ? `--${name}` : `--paint-${name}`, `light-dark(${day}, ${night})`);
    }
    this.palette = palette;
  }

  /** Of pieces that are alike and named by their place, one that is gone and one that is new are one that has moved. */
  rename(pieces, names) {
    const gone = new Map();
    for (const [name, { piece }] of this.pieces) {
      if (piece.alike && !names.has(name)) gone.set(piece.alike, [...(gone.get(piece.alike) ?? []), name]);
    }
    for (const { name, alike } of pieces) {
      const before = alike && !this.pieces.has(name) ? gone.get(alike)?.shift() : undefined;
      if (before === undefined) continue;
      const shown = this.pieces.get(before);
      this.pieces.delete(before);
      this.pieces.set(name, shown);
      shown.group.dataset.piece = name;
    }
  }

  lay(piece) {
    const group = svg("g", { class: "piece", "data-piece": piece.name });
    const shown = { group, piece: null, shapes: "", transform: "" };
    this.pieces.set(piece.name, shown);
    return shown;
  }

  update(shown, piece, glides) {
    const { group } = shown;
    const isNew = shown.piece === null;
    const shapes = JSON.stringify([piece.shapes, piece.label]);
    shown.piece = piece;
    if (shapes !== shown.shapes) {
      shown.shapes = shapes;
      const halo = group.querySelector(".halo") ? [silhouette(piece)] : [];
      const title = piece.label ? [svg("title", { text: piece.label })] : [];
      group.replaceChildren(...title, ...piece.shapes.map((shape) => this.shape(shape)), ...halo);
      this.describe(shown);
    }
    group.setAttribute("opacity", piece.opacity ?? 1);
    this.mark(shown, "marked", piece.marked && piece.shapes.some(({ kind }) => kind !== "text"));
    const transform = placed(piece);
    if (transform !== shown.transform) {
      const from = isNew ? piece.appears && placed(piece, ...piece.appears) : shown.transform;
      group.style.transform = transform;
      shown.transform = transform;
      if (glides && from) this.glide(group, from, transform, isNew ? fall(piece) : 0);
    }
    if (glides && isNew && !piece.appears) this.animate(group, [{ opacity: 0 }, {}], this.duration, "ease-out");
  }

  glide(group, from, to, height) {
    if (height > 0) {
      const bounce = `translateY(${-0.05 * height}px) ${to}`;
      const frames = [
        { transform: from, easing: "cubic-bezier(.5, 0, .9, .6)" },
        { transform: to, offset: 0.65, easing: "ease-out" },
        { transform: bounce, offset: 0.82, easing: "ease-in" },
        { transform: to },
      ];
      this.animate(group, frames, this.duration * 1.3);
    } else {
      this.animate(group, [{ transform: from }, { transform: to }], this.duration, "cubic-bezier(.3, .7, .2, 1)");
    }
  }

  animate(group, frames, duration, easing = "linear") {
    this.moving.push(group.animate(frames, { duration, easing }));
  }

  remove(name, { group }, glides) {
    this.pieces.delete(name);
    if (!glides) {
      group.remove();
      return;
    }
    this.leaving.append(group);
    const fading = group.animate([{}, { opacity: 0 }], { duration: this.duration, easing: "ease-in" });
    fading.onfinish = () => group.remove();
    this.moving.push(fading);
  }

  shape(shape) {
    const element = outline(shape);
    const { line = 0, dash = 0, opacity = 1 } = shape;
    element.style.fill = this.paint(shape.fill);
    element.style.stroke = this.paint(shape.stroke);
    element.setAttribute("stroke-width", line); // also if it is 0: what can be clicked includes the stroke, seen or not
    if (dash) element.setAttribute("stroke-dasharray", dash);
    if (opacity !== 1) element.setAttribute("opacity", opacity);
    return element;
  }

  paint(name = "none") {
    if (PAGE_PAINTS.has(name) || /^seat-\d$/.test(name)) return `var(--${name})`;
    return name in this.palette ? `var(--paint-${name})` : name;
  }

  /** What a piece is to those who do not see it: a button while it can be clicked, else a picture with a label. */
  describe({ group, piece }) {
    const clickable = this.options.has(piece.name);
    const label = piece.label || (clickable ? piece.name : "");
    const silent = !label || !this.isPlayed;
    const attributes = {
      role: silent ? null : clickable ? "button" : "img",
      "aria-label": silent ? null : label,
      "aria-hidden": silent ? "true" : null,
    };
    for (const [name, value] of Object.entries(attributes)) {
      if (value === null) group.removeAttribute(name);
      else group.setAttribute(name, value);
    }
  }

  /** Put a class on a piece, and the outline that shows it. */
  mark(shown, kind, on = false) {
    if (on && !shown.group.querySelector(".halo")) shown.group.append(silhouette(shown.piece));
    shown.group.classList.toggle(kind, on);
  }

  /** Highlight the pieces that can be clicked next and those clicked already; `grabbed` can be dragged. */
  offer(options, chosen = [], grabbed = new Set()) {
    this.options = new Set(options);
    this.svg.classList.toggle("busy-board", this.options.size > 16 || this.covered() > 0.35);
    for (const [name, shown] of this.pieces) {
      const can = this.options.has(name);
      if (can !== shown.group.classList.contains("can")) {
        this.mark(shown, "can", can);
        this.describe(shown);
        if (!can) shown.group.removeAttribute("tabindex");
      }
      this.mark(shown, "chosen", chosen.includes(name));
      shown.group.classList.toggle("grab", grabbed.has(name));
    }
    this.rove(this.options.has(this.stop) ? this.stop : [...this.pieces.keys()].find((name) => this.options.has(name)));
  }

  /** How much of the sheet the options cover, roughly: where nearly everything can be clicked, highlights are quiet. */
  covered() {
    const { width, height } = this.svg.viewBox.baseVal;
    let sum = 0;
    for (const name of this.options) {
      const { piece } = this.pieces.get(name) ?? {};
      if (piece) sum += area(largest(piece)) * (piece.size ?? 1) ** 2;
    }
    return sum / (width * height);
  }

  /** The one option that Tab reaches; the arrow keys go on from there. */
  rove(name) {
    this.stop = name;
    for (const option of this.options) {
      this.pieces.get(option)?.group.setAttribute("tabindex", option === name ? 0 : -1);
    }
  }

  focus(name = this.stop) {
    if (this.options.has(name)) this.rove(name);
    this.pieces.get(name)?.group.focus();
  }

  /** Show on the board which clicks a move consists of. */
  preview(names = []) {
    for (const [name, shown] of this.pieces) this.mark(shown, "preview", names.includes(name));
  }

  /** Show faintly where pieces will lie. */
  foresee(pieces = []) {
    this.foreseen.replaceChildren(...pieces.map((piece) => {
      const group = svg("g", {}, piece.shapes.map((shape) => this.shape(shape)));
      group.style.transform = placed(piece);
      return group;
    }));
  }

  hover(name) {
    for (const [other, { group }] of this.pieces) group.classList.toggle("over", other === name);
  }

  label(name) {
    return this.pieces.get(name)?.piece.label || name;
  }

  /** The topmost of the named pieces at a point of the window, else the nearest within a finger's reach. */
  find(x, y, names) {
    for (const element of document.elementsFromPoint(x, y)) {
      const name = element.closest("[data-piece]")?.dataset.piece;
      if (name !== undefined && names.has(name) && this.layer.contains(element)) return name;
    }
    let best, nearest = REACH;
    for (const name of names) {
      const box = this.pieces.get(name)?.group.getBoundingClientRect();
      if (!box) continue;
      const aside = Math.max(box.left - x, 0, x - box.right), above = Math.max(box.top - y, 0, y - box.bottom);
      const distance = Math.hypot(aside, above);
      if (distance < nearest) [best, nearest] = [name, distance];
    }
    return best;
  }

  /** The option that lies in the direction of an arrow key from another one. */
  neighbour(name, [right, down]) {
    const centre = (other) => {
      const box = this.pieces.get(other).group.getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
    };
    const [x, y] = centre(name);
    let best = name, nearest = Infinity;
    for (const other of this.options) {
      if (!this.pieces.has(other)) continue;
      const [u, v] = centre(other);
      const ahead = (u - x) * right + (v - y) * down, aside = Math.abs((u - x) * down) + Math.abs((v - y) * right);
      const distance = ahead + 2.5 * aside;
      if (ahead > 1 && distance < nearest) [best, nearest] = [other, distance];
    }
    return best;
  }

  /** Let a piece follow the pointer; the next scene takes it from there. */
  drag(name, clientX, clientY) {
    const shown = this.pieces.get(name);
    if (!shown) return;
    const at = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    shown.transform = placed(shown.piece, at.x, at.y);
    shown.group.style.transform = shown.transform;
    shown.group.classList.add("dragged");
    if (shown.group !== this.layer.lastChild) this.layer.append(shown.group); // above all else
  }

  /** Let go of a dragged piece. If no move came of it, it glides back. */
  drop(name, back) {
    const shown = this.pieces.get(name);
    shown?.group.classList.remove("dragged");
    if (shown && back) this.update(shown, shown.piece, !calm.matches);
  }
}

/** A scene as a still picture. */
export function picture(scene, label) {
  const view = new SceneView(label, "img");
  view.draw(scene, 0);
  return view.svg;
}

function placed({ x = 0, y = 0, turn = 0, size = 1 }, atX = x, atY = y) {
  return `translate(${atX}px, ${atY}px) rotate(${turn}deg) scale(${size})`;
}

/** How far a new piece falls; 0: it does not come from straight above. */
function fall({ x, y, appears }) {
  return appears && appears[0] === x ? Math.max(0, y - appears[1]) : 0;
}
