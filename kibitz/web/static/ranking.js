// All moves of a position, from best to worst, as a search sees them. A click on one plays its line out on the board.

import { button, capital, el, unseen, whileLookedAt } from "./dom.js";

const MOST_BEST = 0.005; // of the win: moves this close to the best are best, too

export class Ranking {
  /** `preview` shows a move's clicks on the board, `follow` plays its line there. */
  constructor(preview, follow) {
    this.preview = preview;
    this.follow = follow;
    this.key = el("p", { class: "network-key", hidden: true },
      el("span", { class: "bar network", "aria-hidden": "true" }), "the network’s probability, without search");
    this.list = el("ol", { class: "ranking", "aria-label": "Moves from best to worst" });
    this.moves = [];
  }

  show(moves, mayFollow) {
    this.moves = moves;
    const best = Math.max(...moves.map(({ value }) => value));
    this.key.hidden = !moves.some(({ network }) => network);
    const focused = document.activeElement?.dataset?.ranked;
    this.list.replaceChildren(...moves.map((move) => this.row(move, best, mayFollow)));
    if (focused) this.list.querySelector(`[data-ranked="${CSS.escape(focused)}"]`)?.focus();
  }

  row(move, best, mayFollow) {
    const line = move.say_line.slice(1).join(", ");
    const { network } = move;
    const parts = [
      el("b", { text: capital(move.say) }), bar(move.value, move.value >= best - MOST_BEST ? " best" : ""),
      el("span", { class: "value", text: move.words }),
      network && bar(network.value, " network"),
      network && el("span", { class: "network-value" }, unseen("the network: "), network.words),
      line ? el("small", { text: `then ${line}` }) : null,
    ];
    const attributes = {
      "data-ranked": move.move, disabled: !mayFollow, title: mayFollow ? "Play this line on the board" : undefined,
      ...whileLookedAt(() => this.preview(move.clicks), () => this.preview()),
    };
    return el("li", {}, button(parts, () => this.follow(move), attributes));
  }
}

/** A value from 0 to 1 as a bar. */
function bar(value, kind) {
  const drawn = el("span", { class: `bar${kind}`, "aria-hidden": "true" });
  drawn.style.setProperty("--value", value);
  return drawn;
}
