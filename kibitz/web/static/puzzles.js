// Puzzles: every game has one each day, the same for everybody, and more to practise with. What was solved, and for how
// many days in a row, is kept by the browser.

import { ask, button, capital, coloursOf, el, paintSeats } from "./dom.js";
import { Exercise } from "./exercise.js";
import { kept } from "./kept.js";
import { picture } from "./scene.js";

const DAY = 86_400_000; // milliseconds
const store = kept("kibitz-puzzles"); // {results: {game: {number: right at the first attempt}}, streak: {day, days}}

// What is kept

function resultOf(game, number) {
  return store.get().results?.[game]?.[number];
}

/** Keep how the first attempt at a puzzle ended; a puzzle of the day that is solved goes on with the streak. */
function keep(game, number, right, day) {
  if (resultOf(game, number) !== undefined) return;
  const { results = {}, streak } = store.get();
  store.set({
    results: { ...results, [game]: { ...results[game], [number]: right } },
    streak: right && day ? { day, days: streak?.day === day ? streak.days : 1 + streakBefore(day, streak) } : streak,
  });
}

/** The days in a row that ended the day before. */
function streakBefore(day, streak) {
  return streak && Date.parse(day) - Date.parse(streak.day) === DAY ? streak.days : 0;
}

/** How many days in a row there are today: one that ended yesterday can still go on. */
function streakOn(day) {
  const { streak } = store.get();
  return streak?.day === day ? streak.days : streakBefore(day, streak);
}

function streakWords(day) {
  const days = streakOn(day);
  return days ? `${days} ${days === 1 ? "day" : "days"} in a row` : "Solve one today to begin a streak.";
}

// All games

export async function showPuzzles(main) {
  document.title = "Puzzles · kibitz";
  const offer = await ask("/api/puzzles");
  paintSeats(coloursOf(offer));
  const date = new Date(offer.day).toLocaleDateString("en", { dateStyle: "full", timeZone: "UTC" });
  main.replaceChildren(
    el("section", { class: "hello" },
      el("h1", { text: "Puzzles" }),
      el("p", { text: "Positions from real games in which one move is clearly best. Every game has a new one each day." }),
      el("p", { class: "streak" }, el("b", { text: date }), ` · ${streakWords(offer.day)}`)),
    el("ul", { class: "cards" }, offer.games.map((game) => el("li", {}, card(game)))));
}

function card({ name, title, puzzles, today, scene }) {
  const results = store.get().results?.[name] ?? {};
  const solved = Object.values(results).filter(Boolean).length;
  const result = resultOf(name, today);
  const state = result === undefined ? "Today’s puzzle is waiting" : result ? "✓ Today’s puzzle solved" : "Today’s puzzle tried";
  return el("article", { class: "card" },
    el("div", { class: "thumbnail", "aria-hidden": "true" }, scene ? picture(scene, "") : el("span", { text: title[0] })),
    el("div", { class: "about" },
      el("h2", {}, el("a", { class: "start", href: addressOf(name, today) }, title)),
      el("p", { text: state }),
      el("p", { class: "facts", text: `${solved} of ${puzzles} solved at the first attempt` })));
}

function addressOf(name, number) {
  return `/puzzles/${encodeURIComponent(name)}?puzzle=${number}`;
}

// One puzzle

export async function showPuzzle(main, name) {
  const { day, games } = await ask("/api/puzzles");
  const game = games.find((other) => other.name === name);
  if (!game) throw new Error("There are no puzzles for this game.");
  const wanted = Number(new URLSearchParams(location.search).get("puzzle"));
  const number = Number.isInteger(wanted) && wanted > 0 && wanted <= game.puzzles ? wanted : game.today;
  const isToday = number === game.today;
  document.title = `Puzzle: ${game.title} · kibitz`;
  const page = el("article", { class: "puzzle-page" }, el("h1", { class: "unseen", text: `Puzzle: ${game.title}` }),
    el("div", { class: "getting-ready" }, el("div", { class: "wheel" }), el("p", { text: "Setting up the position …" })));
  main.replaceChildren(page);
  const exercise = new Exercise(`/api/games/${encodeURIComponent(name)}/puzzles/${number}`, page);
  const { seat, player, seats, log, words } = await exercise.open();
  const streak = el("p", { class: "streak" });
  const showStreak = () => (streak.textContent = isToday ? `Today’s puzzle · ${streakWords(day)}` : `Practice · puzzle ${number} of ${game.puzzles}`);
  const reason = el("div", { class: "reason" });
  exercise.tried = (answer) => {
    keep(name, number, answer.right, isToday ? day : null);
    showStreak();
    explain(reason, answer);
    const solution = button("Show the best move", () => {
      exercise.draw(exercise.position);
      exercise.view?.preview(answer.best.clicks);
    });
    exercise.offer(
      el("a", { class: "primary", href: addressOf(name, following(name, number, game.puzzles)) }, "Next puzzle"),
      ...(answer.right ? [] : [solution]),
      el("a", { class: "button", href: "/puzzles" }, "All games"));
  };
  showStreak();
  page.replaceChildren(
    el("div", { class: "puzzle-board" }, exercise.board),
    el("div", { class: "puzzle-side" },
      el("header", {}, el("h1", { text: game.title }), streak),
      el("p", { class: "status" }, el("span", { class: `spot seat-${player}`, "aria-hidden": "true" }), `${capital(seat)} to move. ${words}`),
      exercise.bar, reason,
      el("ul", { class: "puzzle-seats", "aria-label": "Players" }, seats.map((one, place) => seatRow(one, place, place === player))),
      log.length > 0 && el("details", { class: "before" }, el("summary", { text: "What happened before" }),
        el("ol", {}, log.map((entry) => el("li", { text: told(entry, seats) }))))));
}

/** The next puzzle that was not tried yet; if there is none, just the next one. */
function following(name, number, puzzles) {
  const others = Array.from({ length: puzzles - 1 }, (_, step) => (number + step) % puzzles + 1);
  return others.find((other) => resultOf(name, other) === undefined) ?? others[0] ?? number;
}

function told({ seat, say, words }, seats) {
  const who = seat >= 0 ? `${capital(seats[seat].title)}: ` : "";
  return [`${who}${say}`, ...words].join(". ");
}

function seatRow({ title, counters }, place, isMover) {
  return el("li", { class: isMover ? "mover" : "" },
    el("span", { class: `spot seat-${place}`, "aria-hidden": "true" }), el("b", { text: capital(title) }),
    Object.entries(counters).map(([name, count]) => el("span", { class: "chip" }, `${name} `, el("b", { text: count }))));
}

/** What the moves are worth, and how it may go on. */
function explain(reason, { right, chosen, best, say_played: played }) {
  const rows = right ? [[best, "Your move"]] : [[best, "Best"], [chosen, "Your move"]];
  reason.replaceChildren(
    el("ul", { class: "weighed" }, rows.map(([move, words]) => {
      const value = el("span", { class: `bar${move === best ? " best" : ""}`, "aria-hidden": "true" });
      value.style.setProperty("--value", move.value);
      const line = move.say_line.slice(1).join(", ");
      return el("li", {}, el("small", { text: words }), el("b", { text: capital(move.say) }), value,
        el("span", { text: move.words }), line && el("small", { text: `then ${line}` }));
    })),
    el("p", { class: "note", text: `In the game, it was: ${played}.` }));
}
