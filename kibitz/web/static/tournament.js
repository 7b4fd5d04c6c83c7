// One tournament: the standings and the ratings as they move, its games, and what can be done with it.

import { announce, ask, button, coloursOf, el, open, paintSeats, toast, unseen } from "./dom.js";
import { axisOf, Course, rated, scale, scrolling, signed, Track } from "./charts.js";

const WHILE_RUNNING = 1000, OTHERWISE = 5000; // milliseconds from one look to the next
const GAMES_AT_ONCE = 50; // as many as the server sends

const STATES = { running: "Running", stopping: "Stopping …", stopped: "Stopped", finished: "Finished" };

/** A time in words, at most two figures long. */
export function duration(seconds) {
  if (seconds < 1e-4) return `${(seconds * 1e6).toPrecision(2)} µs`;
  if (seconds < 0.01) return `${(seconds * 1e3).toPrecision(2)} ms`;
  if (seconds < 1) return `${Math.round(seconds * 1e3)} ms`;
  if (seconds < 100) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

export async function showTournament(main, id) {
  const [tournament, offer] = await Promise.all([ask(address(id)), ask("/api/games")]);
  paintSeats(coloursOf(offer));
  document.title = `Tournament: ${tournament.title} · kibitz`;
  const view = new TournamentPage(tournament);
  main.replaceChildren(view.page);
  view.watch();
}

const address = (id, ...more) => ["/api/tournaments", encodeURIComponent(id), ...more].join("/");

class TournamentPage {
  constructor(tournament) {
    this.id = tournament.id;
    this.status = el("p", { class: "state" });
    this.progress = el("progress", { "aria-label": "Games played" });
    this.time = el("p", { class: "note" });
    this.problem = el("p", { class: "problem" });
    this.actions = el("div", { class: "actions" });
    this.standings = new StandingsTable(tournament);
    this.ratings = new RatingPlot(tournament);
    this.course = new Course();
    this.pairs = el("div", {});
    this.games = new GameList(tournament);
    this.sheets = el("div", { class: "sheets" },
      sheet("Standings", this.standings.table, "whole",
        "The share of the win, a draw counting half, with its 95 % interval."),
      sheet("Ratings", this.ratings.table, "",
        "400 points more: ten wins for every loss. The mean is 0, and the bar the 95 % interval."),
      sheet("The course of the ratings", el("div", {}, this.course.picture, this.standings.key()), "tall",
        "After each number of games."),
      this.crossSheet = sheet("Row against column", this.pairs),
      sheet("Games", this.games.list, "whole", "Open any game to replay and analyse it."));
    this.waiting = el("p", { class: "waiting" });
    const { title, bots, games, seed, opening } = tournament;
    const start = opening ? ` Every game begins with ${opening} random moves, so that none repeats another.` : "";
    this.page = el("article", { class: "page tournament" },
      el("header", { class: "page-head" },
        el("p", { class: "crumb" }, el("a", { href: "/tournaments" }, "Tournaments")),
        el("div", { class: "headline" }, el("h1", { text: title }), this.status),
        el("p", { text: `${bots.length} bots, ${games.toLocaleString("en")} games, seed ${seed}.${start}` }),
        el("div", { class: "meter" }, this.progress, this.time),
        this.problem, this.actions),
      this.waiting, this.sheets);
    this.update(tournament);
  }

  /** Look again and again, for as long as there is something to see. */
  watch() {
    const { state } = this.tournament;
    if (state === "finished" || this.isLeaving) return;
    const pause = state === "running" || state === "stopping" ? WHILE_RUNNING : OTHERWISE;
    this.timer = setTimeout(() => this.look(), pause);
  }

  async look() {
    clearTimeout(this.timer);
    try {
      if (!document.hidden) this.update(await ask(address(this.id)));
      this.page.dataset.connection = "up";
    } catch (error) {
      this.page.dataset.connection = "lost";
      this.time.textContent = `${error.message} Trying again …`;
    }
    this.watch();
  }

  update(tournament) {
    const before = this.tournament;
    this.tournament = tournament;
    const { state, standings: { played }, games, problem } = tournament;
    this.status.textContent = STATES[state];
    this.page.dataset.state = state;
    this.progress.max = games;
    this.progress.value = played;
    this.time.textContent = timeWords(tournament);
    this.problem.textContent = problem;
    this.problem.hidden = !problem;
    this.sheets.hidden = !played;
    this.waiting.hidden = played > 0;
    this.waiting.textContent = state === "running" ? "The rules and the bots are being prepared; the first results come in a few seconds." : "No game has been played yet.";
    if (played) this.show(tournament);
    const signature = [state, tournament.yours, played > 0].join();
    if (signature !== this.signature) this.offer(tournament);
    this.signature = signature;
    if (before && before.state !== state) announce(`${STATES[state]}. ${tournament.leader}`);
  }

  show(tournament) {
    this.standings.update(tournament);
    this.ratings.update(tournament);
    this.course.update(tournament);
    this.games.update(tournament);
    const isCross = tournament.bots.length > 2 && tournament.standings.pairs.flat().some(Boolean);
    this.crossSheet.hidden = !isCross;
    if (isCross) this.pairs.replaceChildren(crossTable(tournament));
  }

  /** What can be done now. */
  offer({ state, yours, has_files: hasFiles, standings: { played } }) {
    const isRunning = state === "running" || state === "stopping";
    const focused = this.actions.contains(document.activeElement);
    const order = (what) => async () => {
      try {
        await ask(address(this.id, what), "");
        await this.look();
      } catch (error) {
        toast(error.message);
      }
    };
    this.actions.replaceChildren(...[
      yours && isRunning && button("Stop", order("stop"), { class: "primary", disabled: state === "stopping" }),
      yours && state === "stopped" && button("Resume", order("resume"), { class: "primary" }),
      hasFiles && played > 0 && el("a", { class: "button", href: address(this.id, "report"), target: "_blank", rel: "noopener" }, "Report"),
      hasFiles && played > 0 && el("a", { class: "button", href: address(this.id, "log"), download: true }, "Download the log"),
      yours && !isRunning && sureButton("Delete", () => this.delete()),
    ].filter(Boolean));
    if (focused) this.actions.firstElementChild?.focus();
  }

  async delete() {
    this.isLeaving = true; // nobody looks at what is gone
    clearTimeout(this.timer);
    try {
      await ask(address(this.id), "", "DELETE");
      location.href = "/tournaments";
    } catch (error) {
      this.isLeaving = false;
      this.watch();
      toast(error.message);
    }
  }
}

/** A button that wants to be pressed twice. */
function sureButton(words, act) {
  const pressed = () => {
    if (made.classList.contains("sure")) return act();
    made.classList.add("sure");
    made.textContent = `${words} it for good?`;
  };
  const made = button(words, pressed);
  return made;
}

function timeWords({ state, games, seconds_left: left, standings: { played, seconds } }) {
  const of = `${played.toLocaleString("en")} of ${games.toLocaleString("en")} games`;
  if (state === "running") return left === null ? of : `${of}, about ${duration(Math.max(left, 1))} left`;
  return `${of} in ${duration(Math.max(seconds, 0.1))}`;
}

function sheet(title, content, kind = "", words = "") {
  const id = `sheet-${title.toLowerCase().replaceAll(" ", "-")}`;
  return el("section", { class: `sheet ${kind}`, "aria-labelledby": id },
    el("div", { class: "sheet-head" }, el("h2", { id, text: title }), words && el("p", { class: "note", text: words })), content);
}

/** A bot by its colour and its name, and by its spec if that says more. */
function botCell({ name, spec }, bot) {
  return el("th", { scope: "row" },
    el("span", { class: "bot" }, el("span", { class: `spot seat-${bot}`, "aria-hidden": "true" }), el("b", { text: name })),
    spec !== name && el("small", { text: spec }));
}

class StandingsTable {
  constructor({ bots }) {
    this.bots = bots;
    this.rows = bots.map((bot, i) => new StandingsRow(bot, i));
    this.body = el("tbody", {});
    this.faults = el("th", { scope: "col", class: "number", hidden: true }, "Faults");
    this.table = scrolling("Table of the standings", el("table", { class: "standings" },
      el("thead", {}, el("tr", {},
        el("th", { scope: "col", class: "number" }, "#"),
        el("th", { scope: "col" }, "Bot"),
        this.share = el("th", { scope: "col", class: "number" }, "Share"),
        el("th", { scope: "col", class: "wide" }, "0 % to 100 %"),
        el("th", { scope: "col", class: "number" }, "Rating"),
        el("th", { scope: "col", class: "number" }, "Time per move"),
        el("th", { scope: "col", class: "number" }, "Games"),
        this.faults)),
      this.body));
  }

  key() {
    return el("ul", { class: "keys" }, this.bots.map(({ name }, bot) =>
      el("li", {}, el("span", { class: `spot seat-${bot}`, "aria-hidden": "true" }), name)));
  }

  update({ standings: { ranking, has_utilities: hasUtilities } }) {
    this.share.textContent = hasUtilities ? "Utility" : "Share";
    const isFaulty = ranking.some(({ faults }) => faults);
    this.faults.hidden = !isFaulty;
    ranking.forEach((standing, place) => this.rows[standing.bot].update(standing, place + 1, isFaulty));
    reorder(this.body, ranking.map(({ bot }) => this.rows[bot].row));
  }
}

class StandingsRow {
  constructor(bot, index) {
    this.name = bot.name;
    this.track = new Track();
    this.track.picture.classList.add(`of-bot-${index}`);
    [this.place, this.share, this.rating, this.pace, this.games, this.faults] =
      ["number faint", "number", "number", "number", "number", "number bad"].map((kind) => el("td", { class: kind }));
    this.row = el("tr", {}, this.place, botCell(bot, index), this.share, el("td", { class: "wide" }, this.track.picture),
      this.rating, this.pace, this.games, this.faults);
  }

  update(standing, place, isFaulty) {
    const { games, share, low, high, words, interval, move_ms: ms, faults } = standing;
    this.place.textContent = place;
    this.share.replaceChildren(el("b", { text: words }));
    this.rating.textContent = rated({ rating: standing.rating, low: standing.rating_low, high: standing.rating_high });
    this.pace.textContent = ms === null ? "–" : duration(ms / 1000);
    this.games.textContent = games.toLocaleString("en");
    this.faults.textContent = faults || "–";
    this.faults.hidden = !isFaulty;
    const axis = { ticks: [0, 0.25, 0.5, 0.75, 1], at: (value) => value };
    this.track.mark(axis, { at: games ? share : null, low, high, words: `${this.name}: ${words}, ${interval}` });
  }
}

/** Put rows in order, and move only those that have to. */
function reorder(body, rows) {
  rows.forEach((row, i) => body.children[i] !== row && body.insertBefore(row, body.children[i] ?? null));
}

class RatingPlot {
  constructor({ bots }) {
    this.bots = bots;
    this.rows = bots.map((bot, index) => {
      const track = new Track(), words = el("td", { class: "number" });
      track.picture.classList.add(`of-bot-${index}`);
      const name = el("th", { scope: "row" }, el("span", { class: "bot" }, el("span", { class: `spot seat-${index}`, "aria-hidden": "true" }), bot.name));
      return { track, words, row: el("tr", {}, name, el("td", { class: "wide" }, track.picture), words) };
    });
    this.body = el("tbody", {});
    this.foot = el("td", { class: "wide" });
    this.table = el("table", { class: "standings interval-plot" },
      el("caption", { class: "unseen" }, "Ratings with 95 % intervals"),
      this.body, el("tfoot", { "aria-hidden": "true" }, el("tr", {}, el("td", {}), this.foot, el("td", {}))));
  }

  update({ standings: { ranking } }) {
    const known = ranking.filter(({ rating }) => rating !== null);
    const axis = axisOf(known.flatMap((standing) => [standing.rating_low, standing.rating_high]).concat(0));
    const order = [...ranking].sort((a, b) => (b.rating ?? -Infinity) - (a.rating ?? -Infinity));
    for (const { bot, rating, rating_low: low, rating_high: high } of order) {
      const { track, words } = this.rows[bot];
      words.textContent = rating === null ? "–" : signed(rating);
      track.mark(axis, { at: rating, low, high, reference: 0, words: `${this.bots[bot].name}: ${rated({ rating, low, high })}` });
    }
    this.foot.replaceChildren(scale(axis));
    reorder(this.body, order.map(({ bot }) => this.rows[bot].row));
  }
}

/** What each bot won against each other, in the order of the standings. */
function crossTable({ bots, standings: { ranking, pairs, pair_shares: shares } }) {
  const order = ranking.map(({ bot }) => bot);
  const cell = (a, b) => {
    if (pairs[a]?.[b] == null) return el("td", { class: "number nothing" }, a === b ? "·" : "–");
    const made = el("td", { class: `number ${shares[a][b] > 0.5 ? "above" : "below"}` }, pairs[a][b]);
    made.style.setProperty("--heat", `${Math.round(Math.abs(2 * shares[a][b] - 1) * 32)}%`);
    return made;
  };
  return scrolling("Table of row against column", el("table", { class: "standings cross" },
    el("thead", {}, el("tr", {}, el("td", {}), order.map((bot, i) =>
      el("th", { scope: "col", class: "number", title: bots[bot].name }, el("span", { class: "bot" },
        el("span", { class: `spot seat-${bot}`, "aria-hidden": "true" }), `${i + 1}`, unseen(bots[bot].name)))))),
    el("tbody", {}, order.map((a, i) => el("tr", {},
      el("th", { scope: "row" }, el("span", { class: "bot" },
        el("span", { class: "faint", text: i + 1 }), el("span", { class: `spot seat-${a}`, "aria-hidden": "true" }), bots[a].name)),
      order.map((b) => cell(a, b)))))));
}

/** The games, fifty at a time. */
class GameList {
  constructor({ id, bots }) {
    this.id = id;
    this.bots = bots;
    this.first = null; // of the games that are shown; null: the last ones
    this.played = 0;
    this.rows = el("ul", { class: "games" });
    this.earlier = button("Earlier", () => this.turn(-GAMES_AT_ONCE));
    this.later = button("Later", () => this.turn(GAMES_AT_ONCE));
    this.place = el("span", { class: "note" });
    this.list = el("div", {}, el("div", { class: "pager" }, this.earlier, this.later, this.place), this.rows);
  }

  update({ standings: { played } }) {
    const isNew = played !== this.played;
    this.played = played;
    const isShown = this.list.contains(document.activeElement); // whoever is choosing a game is not disturbed
    if (isNew && !isShown && this.first === null) this.load();
  }

  get last() {
    return Math.floor(Math.max(this.played - 1, 0) / GAMES_AT_ONCE) * GAMES_AT_ONCE;
  }

  turn(by) {
    const first = Math.max((this.first ?? this.last) + by, 0);
    this.first = first >= this.last ? null : first;
    this.load();
  }

  async load() {
    if (this.isLoading) return;
    this.isLoading = true;
    const first = this.first ?? this.last;
    try {
      const { games } = await ask(`${address(this.id, "games")}?first=${first}`);
      const shown = [...games].reverse(); // the newest first
      this.rows.replaceChildren(...shown.map((game) => el("li", {}, this.row(game))));
      this.place.textContent = games.length ? `Games ${games[0].game + 1} to ${games.at(-1).game + 1} of ${this.played.toLocaleString("en")}` : "";
      this.earlier.disabled = first === 0;
      this.later.disabled = first >= this.last;
      this.earlier.parentElement.hidden = this.played <= GAMES_AT_ONCE;
    } catch {
      // the next look brings another attempt
    } finally {
      this.isLoading = false;
    }
  }

  row({ game, bots, payoff, decisions, fault }) {
    const best = Math.max(...payoff), isDraw = payoff.every((share) => share === best);
    const names = bots.map((bot, seat) => el("span", { class: `bot${payoff[seat] === best && !isDraw ? " winner" : ""}` },
      el("span", { class: `spot seat-${bot}`, "aria-hidden": "true" }), this.bots[bot].name));
    const winners = bots.filter((_, seat) => payoff[seat] === best).map((bot) => this.bots[bot].name);
    const result = isDraw ? "draw" : `${[...new Set(winners)].join(", ")} won`;
    const show = () => open("/api/records", { tournament: this.id, game }).catch((error) => toast(error.message));
    return button([el("span", { class: "number faint", text: game + 1 }), el("span", { class: "line-up" }, names),
      el("small", { text: fault ? `lost by ${fault}` : `${isDraw ? "draw, " : ""}${decisions} moves` })], show,
    { "aria-label": `Game ${game + 1}, ${bots.map((bot) => this.bots[bot].name).join(" against ")}: ${result}` });
  }
}
