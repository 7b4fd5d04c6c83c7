// Waiting for a table whose rules or bots are being compiled: which step, how far it is, and what else there is to do.

import { ask, el } from "./dom.js";

const EVERY = 1000; // milliseconds

/** Add the progress of a table to the section that says why one has to wait, for as long as that is shown. */
export function showPreparation(section, { id, game }) {
  const bar = el("progress", { "aria-label": "Preparing", max: 1 });
  const step = el("p", { class: "note" });
  const [name] = game.split(":");
  section.append(bar, step,
    el("p", { text: "This game begins by itself when it is ready. Meanwhile:" }),
    el("div", { class: "actions" },
      el("a", { class: "button", href: `/rules/${encodeURIComponent(name)}`, target: "_blank" }, "Read the rules"),
      el("a", { class: "button", href: "/", target: "_blank" }, "Play another game")));
  const look = async () => {
    if (!section.isConnected) return;
    const { done, of, words, functions } = await ask(`/api/tables/${encodeURIComponent(id)}/preparation`).catch(() => ({}));
    if (words) {
      bar.max = of;
      bar.value = done + functions / (functions + 20); // how many there will be is not known
      const so = functions === 1 ? "1 function" : `${functions} functions`;
      step.textContent = `Step ${done + 1} of ${of}: ${words}${functions ? `, ${so} compiled so far` : ""}`;
    }
    setTimeout(look, EVERY);
  };
  look();
}
