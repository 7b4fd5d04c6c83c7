// All tournaments, and starting one.

import { ask, button, coloursOf, el, paintSeats } from "./dom.js";
import { fieldRow, input, labelled, specOf, usualPlayers } from "./setup.js";
import { duration } from "./tournament.js";

const REFRESH = 3000; // milliseconds
const USUAL_BOTS = ["casual", "strong", "best"], USUAL_LENGTH = 60;
const LENGTHS = [20, USUAL_LENGTH, 200, 600]; // games, about

export async function showTournaments(main) {
  document.title = "Tournaments · kibitz";
  const [offer, all] = await Promise.all([ask("/api/games"), ask("/api/tournaments")]);
  paintSeats(coloursOf(offer));
  const list = el("div", { class: "tournaments" });
  const form = new NewTournament(offer.games, all);
  main.replaceChildren(
    el("article", { class: "page" },
      el("header", { class: "page-head" },
        el("h1", { text: "Tournaments" }),
        el("p", {}, "Let bots play each other and see who is stronger. The ", el("a", { href: "/ladders" }, "ladders"), " show how all bots compare.")),
      el("div", { class: "sheets two" }, form.section,
        el("section", { class: "sheet", "aria-labelledby": "all-tournaments" },
          el("div", { class: "sheet-head" }, el("h2", { id: "all-tournaments", text: "On this server" })), list))),
  );
  show(list, all.tournaments);
  const refresh = async () => {
    if (!document.hidden && !list.contains(document.activeElement)) {
      await ask("/api/tournaments").then(({ tournaments }) => show(list, tournaments), () => {});
    }
    setTimeout(refresh, REFRESH);
  };
  setTimeout(refresh, REFRESH);
}

function show(list, tournaments) {
  list.replaceChildren(tournaments.length
    ? el("ul", {}, tournaments.map((tournament) => el("li", {}, card(tournament))))
    : el("p", { class: "note", text: "None yet. Start one: it takes a minute." }));
}

function card(tournament) {
  const { id, title, bots, games, state, yours, seconds_left: left, played, leader } = tournament;
  const how = {
    running: left === null ? "running" : `running, about ${duration(Math.max(left, 1))} left`, stopping: "stopping …", stopped: "stopped", finished: "",
  }[state];
  const meter = el("progress", { max: games, value: played, "aria-hidden": "true" });
  return el("a", { class: "tournament-card", href: `/tournament/${encodeURIComponent(id)}`, "data-state": state },
    el("span", { class: "headline" }, el("b", { text: title }), yours && el("span", { class: "badge" }, "yours")),
    el("span", { class: "bots" }, bots.map(({ name }, bot) =>
      el("span", { class: "bot" }, el("span", { class: `spot seat-${bot}`, "aria-hidden": "true" }), name))),
    state !== "finished" && meter,
    el("small", { text: [`${played.toLocaleString("en")} of ${games.toLocaleString("en")} games`, how, leader].filter(Boolean).join(" · ") }));
}

class NewTournament {
  constructor(games, { most_games: mostGames, most_bots: mostBots, most_seconds: mostSeconds }) {
    this.mostGames = mostGames;
    this.mostBots = mostBots;
    this.games = games;
    const usual = games.find(({ players }) => players[1] === 2) ?? games[0]; // for two, it takes the least time
    this.game = el("select", { id: "tournament-game", onchange: () => this.choose() },
      games.map((game) => el("option", { value: game.name, selected: game === usual }, game.title)));
    this.bots = el("div", { class: "bot-choices" });
    this.specs = el("datalist", { id: "tournament-bots" });
    this.spec = el("input", { id: "tournament-spec", type: "text", list: "tournament-bots", placeholder: "name:option=value", maxlength: 200 });
    this.spec.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.addSpec();
    });
    this.length = el("select", { id: "tournament-length" });
    this.length.addEventListener("change", () => (this.wanted = Number(this.length.value)));
    this.seed = el("input", { id: "tournament-seed", type: "number", min: 0, step: 1, placeholder: "random" });
    this.variant = el("div", { class: "variant" });
    this.error = el("p", { class: "error", role: "alert", hidden: true });
    this.start = el("button", { type: "submit", class: "primary" }, "Start the tournament");
    this.wanted = USUAL_LENGTH;
    const limits = `At most ${mostBots} bots and ${duration(mostSeconds)}; you can stop it, and go on later.`;
    this.section = el("section", { class: "sheet", "aria-labelledby": "new-tournament" },
      el("div", { class: "sheet-head" }, el("h2", { id: "new-tournament", text: "New tournament" })),
      el("form", { class: "new-tournament", onsubmit: (event) => this.submit(event) },
        labelled("Game", this.game),
        el("fieldset", {}, el("legend", { text: "Bots" }), this.bots,
          el("div", { class: "add-bot" }, labelled("Another bot, as on the command line", this.spec), button("Add", () => this.addSpec()))),
        labelled("Length", this.length),
        el("details", {}, el("summary", {}, "Variant and seed"), this.variant,
          labelled("Seed", this.seed, "The same seed gives the same tournament. Leave it empty for a random one.")),
        this.error, el("div", { class: "submit" }, this.start, el("p", { class: "note", text: limits }))),
      this.specs);
    this.choose();
  }

  get offered() {
    return this.games.find(({ name }) => name === this.game.value);
  }

  /** Show what there is to choose for a game. */
  choose() {
    const game = this.offered;
    this.bots.replaceChildren(...game.levels.map(({ key, title, words }) => this.choice(key, title, words, USUAL_BOTS.includes(key))));
    this.fields = game.fields.map((field) => [field, input(field)]);
    const [fewest, most] = game.players;
    const counts = Array.from({ length: most - fewest + 1 }, (_, i) => fewest + i);
    this.players = input({ name: "players", default: usualPlayers(game), kind: "choice", choices: counts });
    this.players.addEventListener("change", () => this.measure());
    this.variant.replaceChildren(...[
      fewest < most && labelled("Players at a table", this.players),
      ...this.fields.map(([field, entry]) => fieldRow(field, entry)),
    ].filter(Boolean));
    this.measure();
    ask(`/api/games/${encodeURIComponent(game.name)}/bots`).then(({ bots }) => {
      if (game === this.offered) this.specs.replaceChildren(...bots.map(({ name, words }) => el("option", { value: name, label: words })));
    }, () => {});
  }

  choice(key, title, words, checked) {
    const box = el("input", { type: "checkbox", value: key, checked, onchange: () => this.measure() });
    return el("label", { class: "bot-choice" }, box, el("span", { class: "words" }, el("b", { text: title }), el("small", { text: words })));
  }

  get chosen() {
    return [...this.bots.querySelectorAll("input:checked")].map(({ value }) => value);
  }

  addSpec() {
    const spec = this.spec.value.trim();
    if (!spec) return this.spec.focus();
    const there = [...this.bots.querySelectorAll("input")].find(({ value }) => value === spec);
    if (there) there.checked = true;
    else this.bots.append(this.choice(spec, spec, "", true));
    this.spec.value = "";
    this.spec.focus();
    this.measure();
  }

  /** Offer lengths in which every line-up plays equally often. */
  measure() {
    const bots = this.chosen.length, players = Number(this.players.value);
    const round = Math.max(gamesInRound(players, bots), 2);
    const sizes = LENGTHS.map((about) => round * Math.max(Math.round(about / round), 1)).filter((size) => size <= this.mostGames);
    const lengths = sizes.length ? [...new Set(sizes)] : [this.mostGames];
    const nearest = lengths.reduce((best, size) => (Math.abs(size - this.wanted) < Math.abs(best - this.wanted) ? size : best));
    const meetings = (size) => (players === 2 && bots > 1 ? `: every pair meets ${size / (round / 2)} times` : "");
    this.length.replaceChildren(...lengths.map((size) =>
      el("option", { value: size, selected: size === nearest }, `${size.toLocaleString("en")} games${meetings(size)}`)));
    this.start.disabled = bots < 2 || bots > this.mostBots;
  }

  async submit(event) {
    event.preventDefault();
    this.error.hidden = true;
    this.start.classList.add("busy");
    try {
      const { id } = await ask("/api/tournaments", JSON.stringify({
        game: specOf(this.offered, this.fields),
        players: Number(this.players.value),
        bots: this.chosen,
        games: Number(this.length.value),
        seed: this.seed.value === "" ? null : Number(this.seed.value),
      }));
      location.href = `/tournament/${encodeURIComponent(id)}`;
    } catch (error) {
      this.error.hidden = false;
      this.error.textContent = error.message;
      this.start.classList.remove("busy");
    }
  }
}

/** The games in which every line-up has sat in every seat (see Schedule in kibitz/tournament). */
function gamesInRound(players, bots) {
  if (bots < players) return players % Math.max(bots, 1) ? players : bots;
  let lineUps = 1;
  for (let i = 1; i <= players; i += 1) lineUps = (lineUps * (bots - players + i)) / i;
  return Math.round(lineUps) * players;
}
