// The rules of a game, lesson by lesson, with pictures.

import { ask, button, coloursOf, el, open, paintSeats, toast } from "./dom.js";
import { picture } from "./scene.js";
import { usualTable } from "./setup.js";

export async function showRules(main, name) {
  const spec = new URLSearchParams(location.search).get("game");
  const address = `/api/games/${encodeURIComponent(name)}/rules${spec ? `?game=${encodeURIComponent(spec)}` : ""}`;
  const [rules, offer] = await Promise.all([ask(address), ask("/api/games")]);
  const game = offer.games.find((other) => other.name === name);
  document.title = `Rules of ${rules.title} · kibitz`;
  paintSeats(coloursOf(offer));
  const start = () => open("/api/tables", usualTable(game)).catch((error) => toast(error.message));
  main.replaceChildren(
    el("article", { class: "rules" },
      el("header", {}, el("h1", { text: rules.title }), el("p", { text: rules.words }),
        game && button("Play", start, { class: "primary" })),
      rules.lessons.length ? rules.lessons.map(lesson) : el("p", { text: "The rules of this game have not been written down yet." })),
  );
}

function lesson({ title, words, scene }) {
  return el("section", { class: `lesson${scene ? " with-picture" : ""}` },
    el("div", {}, el("h2", { text: title }), words.split(/\n\s*\n/).map((paragraph) => el("p", { text: paragraph }))),
    scene && el("figure", {}, picture(scene, `Illustration: ${title}`)));
}
