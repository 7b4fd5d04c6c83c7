// The ladders: how the bots that ship with kibitz compare, game by game.

import { ask, button, el, toast } from "./dom.js";
import { axisOf, rated, scale, scrolling, Track } from "./charts.js";
import { duration } from "./tournament.js";

export async function showLadders(main) {
  const { ladders } = await ask("/api/ladders");
  document.title = "Ladders · kibitz";
  main.replaceChildren(
    el("article", { class: "page" },
      el("header", { class: "page-head" },
        el("h1", { text: "Ladders" }),
        el("p", { text: "How the bots that ship with kibitz compare, game by game, from recorded tournaments: all pairs met in both seats, with the same dice." }),
        el("nav", { class: "jump", "aria-label": "Games" },
          ladders.map(({ game, title }) => el("a", { class: "button", href: `#${anchor(game)}` }, title)))),
      ladders.map(section)),
  );
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

const anchor = (game) => game.split(":")[0];

function section({ game, title, command, version, games, seconds, standings }) {
  const axis = axisOf(standings.flatMap(({ low, high }) => [low, high]).concat(0));
  const players = game.includes("players=2") ? " for two" : "";
  const copy = () => navigator.clipboard.writeText(command).then(() => toast("Copied."), () => toast("Select the command to copy it."));
  return el("section", { class: "sheet", id: anchor(game), "aria-labelledby": `title-${anchor(game)}` },
    el("div", { class: "sheet-head" },
      el("h2", { id: `title-${anchor(game)}`, text: `${title}${players}` }),
      el("p", { class: "note", text: `${games.toLocaleString("en")} games in ${duration(seconds)}, kibitz ${version}` })),
    scrolling(`Ladder of ${title}`,
      el("table", { class: "standings ladder" },
        el("thead", {}, el("tr", {},
          el("th", { scope: "col", class: "number" }, "#"),
          el("th", { scope: "col" }, "Bot"),
          el("th", { scope: "col", class: "number" }, "Elo"),
          el("th", { scope: "col", class: "wide" }, "95 % interval"),
          el("th", { scope: "col", class: "number" }, "Wins"),
          el("th", { scope: "col", class: "number" }, "Time per move"),
          el("th", { scope: "col", class: "number" }, "Games"))),
        el("tbody", {}, standings.map((rung, i) => row(rung, i + 1, axis))),
        el("tfoot", { "aria-hidden": "true" }, el("tr", {}, el("td", { colspan: 3 }), el("td", { class: "wide" }, scale(axis)), el("td", { colspan: 3 }))))),
    el("div", { class: "command" },
      el("p", { class: "note", text: "Play it again:" }),
      el("code", { tabindex: 0, text: command }), button("Copy", copy, { "aria-label": `Copy the command for ${title}` })));
}

function row(rung, place, axis) {
  const { bot, words, games, share, rating, low, high, move_ms: ms } = rung;
  const track = new Track();
  track.mark(axis, { at: rating, low, high, reference: 0, words: `${bot}: ${rated(rung)}` });
  return el("tr", {},
    el("td", { class: "number faint", text: place }),
    el("th", { scope: "row" }, el("code", { text: bot }), el("small", { text: words })),
    el("td", { class: "number" }, el("b", { text: rated(rung) })),
    el("td", { class: "wide" }, track.picture),
    el("td", { class: "number", text: `${(100 * share).toFixed(0)} %` }),
    el("td", { class: "number", text: duration(ms / 1000) }),
    el("td", { class: "number", text: games }));
}
