// The first page: one's games in progress, and every game as a card, which starts it at once.

import { ask, button, coloursOf, el, open, paintSeats, toast } from "./dom.js";
import { records } from "./records.js";
import { picture } from "./scene.js";
import { setUp, sharedTable, usualTable, watchedTable } from "./setup.js";
import { TableList } from "./table_list.js";

const REFRESH = 3000; // milliseconds
const MOST_CONTINUED = 3;
const GROUPS = [ // each game is in the first that fits
  { title: "For two, without luck", fits: ({ players: [, most], chance, hidden }) => most <= 2 && !chance && !hidden },
  { title: "For two, with luck", fits: ({ players: [, most] }) => most <= 2 },
  { title: "For two or more", fits: () => true },
];

export async function showHome(main) {
  document.title = "kibitz";
  const offer = await ask("/api/games");
  const { games } = offer, colours = coloursOf(offer);
  paintSeats(colours);
  const begun = await gamesInProgress(games);
  main.replaceChildren(...[
    el("section", { class: "hello" },
      el("h1", { text: "What would you like to play?" }),
      el("p", { text: "Press Play to start right away against an easygoing bot." })),
    begun,
    el("div", { class: "groups" }, grouped(games).map(([title, group]) =>
      el("section", { class: `group of-${group.length}`, "aria-label": title },
        el("h2", { text: title }),
        el("ul", { class: "cards" }, group.map((game) => el("li", {}, card(game, colours))))))),
    records(),
  ].filter(Boolean));
  if (games.some(({ ready }) => !ready)) setTimeout(() => refresh(main), REFRESH);
}

/** The games by group, in the order of the groups. */
function grouped(games) {
  const group = (game) => GROUPS.find(({ fits }) => fits(game));
  return GROUPS.map((one) => [one.title, games.filter((game) => group(game) === one)]).filter(([, some]) => some.length);
}

/** One's own games that are not over, the latest few of them; null if there are none. */
async function gamesInProgress(games) {
  const own = { address: "/api/tables/mine?stage=unfinished", stage: "unfinished", games, most: MOST_CONTINUED };
  const list = new TableList({ ...own, empty: [], label: "Your games in progress" });
  await list.refresh().catch(() => {}); // the first page is of use without them
  return list.length > 0 && el("section", { class: "begun" },
    el("div", { class: "list-head" }, el("h2", { text: "Continue where you left off" }), el("a", { href: "/tables?show=mine" }, "All my games")),
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
  const play = (event) => launch(event.currentTarget, usualTable(game));
  const invite = (event) => launch(event.currentTarget, sharedTable(game));
  const watch = (event) => launch(event.currentTarget, watchedTable(game));
  const state = game.ready ? "" : `getting ready: ${game.prepared.join(" of ")} …`;
  const facts = [crowd(game.players), luck(game), state].filter(Boolean).join(" · ");
  const rules = `/rules/${encodeURIComponent(game.name)}`;
  return el("article", { class: "card" },
    el("div", { class: "thumbnail", "aria-hidden": "true" },
      game.scene ? picture(game.scene, "") : el("span", { text: title[0] })),
    el("div", { class: "about" },
      el("h3", { text: title }),
      el("p", { text: game.words }),
      el("p", { class: "facts", text: facts }),
      el("div", { class: "card-actions" },
        button("Play", play, { class: "primary start", "aria-label": `Play ${title}` }),
        button("Set up …", () => setUp(game, colours), { "aria-label": `Set up ${title}` }),
        button("Play a friend", invite, { "aria-label": `Play ${title} with a friend` }),
        button("Watch bots", watch, { "aria-label": `Watch bots play ${title}` }),
        el("a", { class: "button", href: rules, "aria-label": `Rules of ${title}` }, "Rules"))));
}

function crowd([fewest, most]) {
  return fewest === most ? `${most} players` : `${fewest}–${most} players`;
}

function luck({ chance, hidden }) {
  return [chance && "with luck", hidden && "with secrets"].filter(Boolean).join(" and ").replace("and with", "and");
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
