// The shapes that pieces are made of, as SVG, and how large they are.

import { svg } from "./dom.js";

const TEXT_SCALE = 100; // browsers draw letters smaller than a unit badly: texts are drawn large and shrunk
const NUMBERS = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 }; // that follow a letter of a path

/** A shape without its paints. */
export function outline({ kind, x = 0, y = 0, width = 0, height = 0, corner, d, text, bold, anchor = "middle" }) {
  if (kind === "circle") return svg("circle", { cx: x, cy: y, r: width / 2 });
  if (kind === "rect") return svg("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: corner });
  if (kind === "path") return svg("path", { d, transform: x || y ? `translate(${x} ${y})` : null });
  return svg("text", {
    transform: `translate(${x} ${y}) scale(${1 / TEXT_SCALE})`,
    "font-size": width * TEXT_SCALE,
    "font-weight": bold && "bold",
    "text-anchor": anchor,
    text,
  });
}

/** The outline of a piece's largest shape, for highlights: a ring, and a rim that sets it off from any ground. */
export function silhouette(piece) {
  const found = largest(piece);
  const shape = found.kind === "text" ? frame(found) : found;
  const [rim, ring] = [outline(shape), outline(shape)];
  rim.setAttribute("class", "rim");
  ring.setAttribute("class", "ring");
  return svg("g", { class: "halo" }, rim, ring);
}

/** A box about as large as a text. */
function frame({ text, width, x, y }) {
  return { kind: "rect", x, y, width: width * (0.6 * text.length + 0.6), height: 1.5 * width, corner: 0.3 * width };
}

/** A piece's largest filled shape; of those about as large a plain one (paths may have holes) in the middle. */
export function largest({ shapes }) {
  const filled = shapes.filter(({ fill }) => fill);
  const choice = filled.length ? filled : shapes;
  const most = Math.max(...choice.map(area));
  const oddity = ({ kind, x = 0, y = 0 }) => (kind === "path" ? 1000 : 0) + Math.hypot(x, y);
  const large = choice.filter((shape) => area(shape) >= 0.85 * most);
  return large.sort((a, b) => oddity(a) - oddity(b))[0] ?? { kind: "path" };
}

export function area({ kind, width = 0, height = 0, d = "" }) {
  if (kind === "text") return 0;
  if (kind !== "path") return width * height;
  const [wide, high] = extent(d);
  return wide * high || Math.max(wide, high) ** 2; // a circle of two arcs has its ends on one line
}

/** Width and height of what a path's lines and curves connect. */
function extent(d) {
  let x = 0, y = 0, left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
  for (const [, letter, rest] of d.matchAll(/([a-z])([^a-df-z]*)/gi)) {
    const numbers = rest.match(/-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?/g)?.map(Number) ?? [];
    const kind = letter.toLowerCase(), isRelative = letter === kind;
    for (let i = NUMBERS[kind]; i > 0 && i <= numbers.length; i += NUMBERS[kind]) {
      const [beforeLast, last] = [numbers[i - 2], numbers[i - 1]];
      if (kind !== "v") x = (isRelative ? x : 0) + (kind === "h" ? last : beforeLast);
      if (kind !== "h") y = (isRelative ? y : 0) + last;
      [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
    }
  }
  return left <= right ? [right - left, bottom - top] : [0, 0];
}
