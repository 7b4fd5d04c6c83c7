// The first page: every game as a card; a click starts it at once.

import { ask, button, coloursOf, el, open, paintSeats, toast } from "./dom.js";
import { picture } from "./scene.js";
import { setUp, sharedTable, usualTable } from "./setup.js";

const REFRESH = 3000; // milliseconds

export async function showHome(main) {
  document.title = "kibitz";
  const offer = await ask("/api/games");
  const { games } = offer, colours = coloursOf(offer);
  paintSeats(colours);
  main.replaceChildren(
    el("section", { class: "hello" },
      el("h1", { text: "What would you like to play?" }),
      el("p", { text: "Choose a game to start right away against an easygoing bot." })),
    el("ul", { class: "cards" }, games.map((game) => el("li", {}, card(game, colours)))),
    records(),
  );
  if (games.some(({ ready }) => !ready)) setTimeout(() => refresh(main), REFRESH);
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
  const watch = (event) => launch(event.currentTarget, usualTable(game, false));
  const facts = [crowd(game.players), game.ready ? "" : "getting ready …"].filter(Boolean).join(" · ");
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

/** Open a saved record, from a file or from the logs that the server offers. */
function records() {
  const file = el("input", { type: "file", id: "record", class: "unseen", accept: ".json,.jsonl,.txt" });
  file.addEventListener("change", async () => {
    try {
      await open("/api/records", await file.files[0].text());
    } catch (error) {
      toast(error.message);
      file.value = "";
    }
  });
  const section = el("section", { class: "records" },
    el("h2", { text: "Replay a recorded game" }),
    el("p", {}, file, el("label", { for: "record", class: "button" }, "Open a record …")));
  ask("/api/logs").then((logs) => section.append(...logs.map(log)), () => {});
  return section;
}

function log({ log: name, game, games, first, last }) {
  const number = el("input", { type: "number", min: first, max: last, value: first, "aria-label": `Game number in ${name}` });
  const start = (event) => {
    event.preventDefault();
    open("/api/records", { log: name, game: Number(number.value) }).catch((error) => toast(error.message));
  };
  return el("form", { class: "log-row", onsubmit: start },
    el("b", { text: name }), el("span", { text: `${game}: ${games.toLocaleString("en")} games, numbers ${first} to ${last}` }), number,
    el("button", { type: "submit" }, "Open"));
}
