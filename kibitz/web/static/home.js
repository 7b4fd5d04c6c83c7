// The first page: every game as a card; a click starts it at once.

import { ask, button, coloursOf, el, open, paintSeats, toast } from "./dom.js";
import { records } from "./records.js";
import { picture } from "./scene.js";
import { setUp, sharedTable, usualTable, watchedTable } from "./setup.js";
import { TableList } from "./table_list.js";

const REFRESH = 3000; // milliseconds
const MOST_CONTINUED = 3;

export async function showHome(main) {
  document.title = "kibitz";
  const offer = await ask("/api/games");
  const { games } = offer, colours = coloursOf(offer);
  paintSeats(colours);
  const begun = await gamesInProgress(games);
  main.replaceChildren(...[
    el("section", { class: "hello" },
      el("h1", { text: "What would you like to play?" }),
      el("p", { text: "Choose a game to start right away against an easygoing bot." })),
    begun,
    el("ul", { class: "cards" }, games.map((game) => el("li", {}, card(game, colours)))),
    records(),
  ].filter(Boolean));
  if (games.some(({ ready }) => !ready)) setTimeout(() => refresh(main), REFRESH);
}

/** One's own games that are not over, the latest few of them; null if there are none. */
async function gamesInProgress(games) {
  const own = { address: "/api/tables/mine?stage=unfinished", stage: "unfinished", games, most: MOST_CONTINUED };
  const list = new TableList({ ...own, empty: [], label: "Your games in progress" });
  await list.refresh().catch(() => {}); // the first page is of use without them
  return list.length > 0 && el("section", { class: "begun" },
    el("div", { class: "list-head" }, el("h2", { text: "Continue" }), el("a", { href: "/tables?show=mine" }, "All my games")),
    list.element);
}

/** Show the cards again while games are being compiled, unless someone is busy with them. */
async function refresh(main) {
  const isBusy = main.contains(document.activeElement) || document.querySelector("dialog, .busy");
  if (isBusy) setTimeout(() => refresh(main), REFRESH);
  else await showHome(main).catch(() => {});
}

function card(game, colours) {
  const { title } = game;
  const play = (event) => {
    event.preventDefault();
    launch(event.currentTarget, usualTable(game));
  };
  const invite = (event) => launch(event.currentTarget, sharedTable(game));
  const watch = (event) => launch(event.currentTarget, watchedTable(game));
  const facts = [crowd(game.players), game.ready ? "" : `getting ready: ${game.prepared.join(" of ")} …`].filter(Boolean).join(" · ");
  const rules = `/rules/${encodeURIComponent(game.name)}`;
  return el("article", { class: "card" },
    el("div", { class: "thumbnail", "aria-hidden": "true" },
      game.scene ? picture(game.scene, "") : el("span", { text: title[0] })),
    el("div", { class: "about" },
      el("h2", {}, el("a", { href: "#", onclick: play, class: "start" }, title)),
      el("p", { text: game.words }),
      el("p", { class: "facts", text: facts }),
      el("div", { class: "card-actions" },
        button("Set up …", () => setUp(game, colours), { "aria-label": `Set up ${title}` }),
        button("Play a friend", invite, { "aria-label": `Play ${title} with a friend` }),
        button("Watch bots", watch, { "aria-label": `Watch bots play ${title}` }),
        el("a", { class: "button", href: rules, "aria-label": `Rules of ${title}` }, "Rules"))));
}

function crowd([fewest, most]) {
  return fewest === most ? `${most} players` : `${fewest}–${most} players`;
}

/** Start a game once, however often the button is pressed. */
async function launch(pressed, body) {
  if (pressed.classList.contains("busy")) return;
  pressed.classList.add("busy");
  try {
    await open("/api/tables", body);
  } catch (error) {
    toast(error.message);
    pressed.classList.remove("busy");
  }
}
