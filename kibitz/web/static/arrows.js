// The best moves, drawn on the board: an arrow along the pieces that a move is made with, or a number where there is
// only one to click.

import { svg } from "./dom.js";

const MOST = 3;
const NEAR = 0.15; // of the win: moves that are worse than the best by more are not drawn

/** Draw the best of some ranked moves; none: take all arrows away. */
export function drawArrows(view, moves = []) {
  view.svg.querySelector(".arrows")?.remove();
  const best = moves[0]?.value ?? 0;
  const shown = moves.slice(0, MOST).filter(({ value, clicks }) => best - value <= NEAR && clicks.length);
  if (!shown.length) return;
  const { width, height } = view.svg.viewBox.baseVal;
  const unit = Math.sqrt(width * height) / 100;
  const drawn = shown.map(({ clicks, landing }, place) => {
    const [laid] = clicks.length === 1 ? landing : []; // where it lands says more than where to click
    return arrow(laid ? [[laid.x, laid.y]] : clicks.map((name) => centre(view, name)).filter(Boolean), place + 1, unit);
  });
  view.svg.append(svg("g", { class: "arrows", "aria-hidden": "true" }, ...drawn.reverse().filter(Boolean)));
}

/** The middle of a piece, in the units of the scene, wherever it is gliding now. */
function centre(view, name) {
  const shown = view.pieces.get(name);
  if (!shown) return null;
  const box = shown.group.getBBox();
  const { x = 0, y = 0, size = 1, turn = 0 } = shown.piece;
  const [across, down] = [(box.x + box.width / 2) * size, (box.y + box.height / 2) * size];
  const angle = (turn * Math.PI) / 180;
  return [x + across * Math.cos(angle) - down * Math.sin(angle), y + across * Math.sin(angle) + down * Math.cos(angle)];
}

function arrow(points, place, unit) {
  const end = points.at(-1);
  if (!end) return null;
  const parts = [];
  if (points.length > 1) {
    const before = points.at(-2), length = Math.hypot(end[0] - before[0], end[1] - before[1]) || 1;
    const ahead = [(end[0] - before[0]) / length, (end[1] - before[1]) / length];
    const neck = [end[0] - 4 * unit * ahead[0], end[1] - 4 * unit * ahead[1]];
    const wing = (side) => [neck[0] - 2.2 * side * unit * ahead[1], neck[1] + 2.2 * side * unit * ahead[0]];
    parts.push(
      svg("path", { class: "shaft", d: path([...points.slice(0, -1), neck]), "stroke-width": 1.6 * unit }),
      svg("path", { class: "head", d: `${path([wing(1), end, wing(-1)])}Z` }));
  }
  const [x, y] = points.length > 1 ? points[0] : end;
  parts.push(svg("circle", { class: "rank", cx: x, cy: y, r: 2.7 * unit, "stroke-width": 0.5 * unit }),
    svg("text", { x, y, "font-size": 3.6 * unit, "text-anchor": "middle" }, String(place)));
  return svg("g", { class: `arrow place-${place}` }, ...parts);
}

function path(points) {
  return `M${points.map((point) => point.map((at) => at.toFixed(3)).join(",")).join("L")}`;
}
