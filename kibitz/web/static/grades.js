// Grades of moves: a sign that does not rely on its colour, and words for those who listen.

import { el, unseen } from "./dom.js";

export const GRADES = {
  best: { sign: "★", words: "best move", many: "best moves" },
  good: { sign: "✓", words: "good move", many: "good moves" },
  inaccuracy: { sign: "?!", words: "inaccuracy", many: "inaccuracies" },
  mistake: { sign: "?", words: "mistake", many: "mistakes" },
  blunder: { sign: "??", words: "blunder", many: "blunders" },
};
const COSTLY = ["inaccuracy", "mistake", "blunder"];

/** Whether a move with such a grade gave something away that is worth a look. */
export function isCostly({ grade }) {
  return COSTLY.includes(grade);
}

/** The sign of a grade. */
export function badge(grade) {
  const { sign, words } = GRADES[grade];
  return el("span", { class: `grade ${grade}`, title: words }, el("span", { "aria-hidden": "true", text: sign }), unseen(`, ${words}`));
}

/** Put a sign beside every graded move of a log, whose rows say which ply they are. */
export function markLog(log, moves) {
  const grades = new Map(moves.map(({ ply, grade }) => [String(ply), grade]));
  for (const row of log.children) {
    const grade = grades.get(row.dataset.ply);
    const shown = row.querySelector(".grade");
    if (shown?.classList.contains(grade)) continue;
    shown?.remove();
    if (grade) row.querySelector("b")?.after(badge(grade));
  }
}
