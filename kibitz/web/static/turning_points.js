// Turning points: at the end of a round or a leg, a summary says who scored what and why. It holds the game for whoever
// looks at it, and for nobody else, until they continue; for those who only watch, it goes on by itself.

import { button, called, el, spot } from "./dom.js";

const WHILE = 9000; // milliseconds for which a summary is shown that goes away by itself
const CONTINUING = ["ArrowRight", "ArrowLeft"]; // beside Enter, Space and Esc, which browsers see to

/** Show a summary until it is closed. `stays`: by hand only; else it closes by itself, sooner at a higher speed. */
export async function hold(point, table, stays, speed) {
  if (!stays && document.hidden) return;
  const seconds = stays ? 0 : WHILE / speed / 1000;
  const go = button("Continue", () => dialog.close(), { class: `primary${stays ? "" : " timed"}`, autofocus: true });
  go.style.setProperty("--seconds", `${seconds}s`);
  const dialog = el("dialog", {
    class: "turning-point", "aria-labelledby": "turning-point", "aria-describedby": "turning-point-words",
    onkeydown: (event) => CONTINUING.includes(event.key) && dialog.close(),
  },
    el("h2", { id: "turning-point", text: point.title }),
    el("div", { id: "turning-point-words" }, point.words.map((words) => el("p", { text: words }))),
    point.rows.length ? scores(point, table) : null, go);
  document.body.append(dialog);
  dialog.showModal();
  dialog.scrollTop = 0; // the button has the focus, but reading begins at the top
  const timer = stays ? undefined : setTimeout(() => dialog.close(), 1000 * seconds);
  await new Promise((closed) => dialog.addEventListener("close", closed));
  clearTimeout(timer);
  dialog.remove();
}

/** The table of a summary: a row for every player, those in the lead in bold. */
function scores({ columns, rows, ahead }, table) {
  const row = (cells, player) =>
    el("tr", { class: ahead.includes(player) ? "won" : "" },
      el("th", { scope: "row" }, spot(player), called(table, player)),
      cells.map((cell) => el("td", { text: cell })));
  return el("div", { class: "scores" },
    el("table", {},
      el("thead", {}, el("tr", {}, ["Player", ...columns].map((column) => el("th", { scope: "col", text: column })))),
      el("tbody", {}, rows.map(row))));
}
