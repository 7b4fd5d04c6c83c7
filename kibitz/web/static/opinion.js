// What one bot thinks of a position: its ranking of all moves, better from line to line of the server's answer.

import { el, spot } from "./dom.js";
import { Ranking } from "./ranking.js";

const NONE = "-";

export class Opinion {
  /** `options` are those of the ranking; `changed` is called when another bot is chosen, `ranked` told the moves. */
  constructor(label, { preview, follow, changed, ranked = () => {} }) {
    this.label = label;
    this.ranked = ranked;
    this.chosen = el("select", { "aria-label": label, onchange: changed });
    this.note = el("p", { class: "note" });
    this.ranking = new Ranking(preview, follow);
    this.element = el("div", { class: "opinion" }, this.chosen, this.note, this.ranking.key, this.ranking.list);
  }

  /** The bots to choose from; `none`: what it is called if there is to be no opinion. */
  offer(bots, none) {
    this.chosen.replaceChildren(
      ...(none ? [el("option", { value: NONE }, none)] : [el("option", { value: "" }, "The strongest search")]),
      ...bots.map(({ name, words }) => el("option", { value: name, title: words }, name)));
  }

  stop() {
    this.request?.abort();
  }

  /** Ask about a position, until it is asked about another one. */
  async ask(line, seats) {
    this.stop();
    this.ranking.show([], false);
    this.note.replaceChildren();
    this.ranked([]);
    if (this.chosen.value === NONE) return;
    this.note.textContent = "Thinking …";
    const request = (this.request = new AbortController());
    try {
      const body = JSON.stringify({ ...line, bot: this.chosen.value });
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch("/api/opinions", { method: "POST", body, headers, signal: request.signal });
      if (!answer.ok) throw new Error((await answer.json()).error);
      for await (const found of linesOf(answer)) if (this.request === request) this.show(found, seats);
    } catch (error) {
      if (error.name !== "AbortError" && this.request === request) this.note.textContent = error.message;
    }
  }

  show({ player, outlook, work, exact, done, moves }, seats) {
    const how = exact ? "exact" : [work, done ? "" : "still thinking …"].filter(Boolean).join(", ");
    const whose = player >= 0 ? [spot(player), ` ${seats[player].name}: ${outlook}`] : ["Nobody is to move."];
    this.note.replaceChildren(...whose, ...(how ? [el("small", { text: how })] : []));
    this.ranking.show(moves, true);
    this.ranked(moves);
  }
}

/** The lines of a streamed answer, as they arrive. */
async function* linesOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}
