// The tables of this server: those to join, to watch and to replay, and the games of this browser.

import { ask, button, coloursOf, el, paintSeats, toast } from "./dom.js";
import { recordOpener } from "./records.js";
import { TableList } from "./table_list.js";

const REFRESH = 5000; // milliseconds
const MOST_COUNTED = 100;
const VIEWS = {
  open: { title: "Join", words: "Tables with a free seat.", none: "Nobody is waiting for a player right now.",
    hint: "Set up a game with an open seat, and others will find it here." },
  running: { title: "Watch", words: "Games that are being played.", none: "No game is being played in public right now.",
    hint: "Start one, or let bots play each other." },
  finished: { title: "Replay", words: "Finished games, to step through and to analyse.", none: "There are no finished games yet.",
    hint: "Games that everyone can find appear here when they are over." },
  mine: { title: "My games", words: "The games that you have set up, joined or opened in this browser. Nobody else sees this list." },
};
const OWN = {
  unfinished: { title: "In progress", none: "You have no games in progress.", hint: "Choose one, and you can leave and come back at any time." },
  finished: { title: "Finished", none: "Your finished games will be kept here.", hint: "So are games that you open from a file." },
};

export async function showTables(main) {
  document.title = "Tables · kibitz";
  document.getElementById("trail").replaceChildren();
  const offer = await ask("/api/games");
  paintSeats(coloursOf(offer));
  const page = new TablesPage(main, offer.games);
  await page.open();
  addEventListener("popstate", () => page.open().catch((error) => toast(error.message)));
  document.addEventListener("visibilitychange", () => page.refresh());
  setInterval(() => page.refresh(), REFRESH);
}

class TablesPage {
  constructor(main, games) {
    this.main = main;
    this.games = games;
    this.lists = [];
    this.links = Object.fromEntries(Object.entries(VIEWS).map(([name, { title }]) => {
      const count = el("small", { class: "count" });
      return [name, { count, link: el("a", { onclick: (event) => this.follow(event) }, title, count) }];
    }));
    this.game = el("select", { id: "game-filter", onchange: () => this.go(this.view, this.game.value) },
      el("option", { value: "" }, "All games"), games.map(({ name, title }) => el("option", { value: name }, title)));
    this.words = el("p");
    this.trouble = el("p", { class: "note", role: "status" });
    this.body = el("div", { class: "lists" });
    main.replaceChildren(el("section", { class: "tables-page" },
      el("header", {}, el("h1", { text: "Tables" }), this.words),
      el("div", { class: "tables-bar" },
        el("nav", { class: "views", "aria-label": "Lists of tables" }, Object.values(this.links).map(({ link }) => link)),
        el("label", { for: "game-filter" }, el("span", { class: "unseen", text: "Game" }), this.game)),
      this.body, this.trouble));
  }

  /** Show what the address asks for; if it does not say, the first list in which there is something. */
  async open() {
    const asked = new URLSearchParams(location.search);
    const game = asked.get("game") ?? "";
    this.game.value = this.games.some(({ name }) => name === game) ? game : "";
    this.view = Object.hasOwn(VIEWS, asked.get("show")) ? asked.get("show") : await this.liveliest();
    const { words } = VIEWS[this.view];
    this.words.textContent = words;
    for (const [name, { link }] of Object.entries(this.links)) {
      link.href = address(name, this.game.value);
      if (name === this.view) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.lists = this.view === "mine" ? Object.keys(OWN).map((stage) => this.list(stage, true)) : [this.list(this.view, false)];
    await this.refresh(true);
    this.body.replaceChildren(...(this.view === "mine" ? this.own() : this.lists.map(({ element }) => element)));
  }

  async liveliest() {
    const { counts } = await ask(this.query("open", false));
    return ["open", "running", "finished"].find((name) => counts[name]) ?? "open";
  }

  list(stage, isOwn) {
    const { none, hint } = isOwn ? OWN[stage] : VIEWS[stage];
    const way = this.game.value ? { href: address(this.view, "") } : { href: "/" };
    const empty = [el("p", {}, el("b", { text: none })), el("p", { text: hint }),
      el("a", { class: "button", ...way }, this.game.value ? "Look at all games" : "Choose a game")];
    const label = isOwn ? OWN[stage].title : VIEWS[stage].title;
    return new TableList({ address: this.query(stage, isOwn), stage, games: this.games, empty, label });
  }

  query(stage, isOwn) {
    const game = this.game.value && `&game=${encodeURIComponent(this.game.value)}`;
    return `/api/tables${isOwn ? "/mine" : ""}?stage=${stage}${game}`;
  }

  /** One's own games: those in progress, those that are over, and how to save them or open others. */
  own() {
    const [unfinished, finished] = this.lists;
    const save = el("a", { class: "button", href: "/api/records", download: "", "aria-label": "Save all games" }, "Save all");
    save.hidden = !finished.length;
    return [
      el("section", { "aria-labelledby": "unfinished-title" }, el("h2", { id: "unfinished-title", text: OWN.unfinished.title }), unfinished.element),
      el("section", { "aria-labelledby": "finished-title" },
        el("div", { class: "list-head" }, el("h2", { id: "finished-title", text: OWN.finished.title }), save, recordOpener()),
        finished.element),
    ];
  }

  /** Bring the lists up to date, unless nobody looks. */
  async refresh(isFirst = false) {
    if (document.hidden && !isFirst) return;
    const lists = this.lists;
    try {
      const pages = await Promise.all(lists.map((list) => list.refresh()));
      if (lists === this.lists) this.count(pages[0].counts);
      this.trouble.textContent = "";
    } catch (error) {
      if (isFirst) throw error;
      this.trouble.textContent = error.message;
    }
  }

  count(counts) {
    for (const [name, { count }] of Object.entries(this.links)) {
      count.textContent = counts[name] >= MOST_COUNTED ? `${MOST_COUNTED - 1}+` : counts[name] || "";
    }
  }

  follow(event) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // in another tab or window
    event.preventDefault();
    const [name] = Object.entries(this.links).find(([, { link }]) => link === event.currentTarget);
    this.go(name, this.game.value);
  }

  go(view, game) {
    history.pushState(null, "", address(view, game));
    this.open().catch((error) => toast(error.message));
  }
}

function address(view, game) {
  return `/tables?show=${view}${game && `&game=${encodeURIComponent(game)}`}`;
}
