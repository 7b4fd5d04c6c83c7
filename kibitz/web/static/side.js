// Beside the board: who plays and whose turn it is, what can be done now, the log, and how it ended.

import { button, called, capital, copyButton, el, spot } from "./dom.js";
import { People } from "./people.js";

const ACTIONS = { undo: "Undo", redo: "Redo", hint: "Hint", resign: "Resign", rematch: "Rematch" };
const LOW = 10; // seconds, when it becomes urgent
const SURE = 4000; // milliseconds in which a second click resigns
const DOUBLE = 500, NEAR = 24; // milliseconds and pixels from a click to another that belongs to it

export class Side {
  constructor(send, chooser) {
    this.send = send;
    this.seats = el("ol", { class: "seats", "aria-label": "Players" });
    this.status = el("p", { class: "status", tabindex: -1 });
    this.back = button("Back to the game", () => send({ type: "show", ply: null }), { class: "primary", hidden: true });
    this.hinted = el("p", { class: "hint", hidden: true });
    this.scores = el("div", { class: "scores", hidden: true });
    this.actions = Object.fromEntries(
      Object.entries(ACTIONS).map(([type, words]) => [type, button(words, (event) => this.act(type, event))]),
    );
    this.people = new People(send);
    this.review = button("Review the game", () => this.onreview(), { class: "review-button", hidden: true });
    this.onreview = () => {};
    this.save = el("a", { class: "button", download: "", hidden: true }, "Save");
    this.link = copyButton("Copy link", () => location.href, { title: "Copy a link to this position", hidden: true });
    this.turn = el("section", { class: "turn", "aria-label": "Current turn" },
      this.status, // what follows never moves: whatever comes and goes is below
      el("div", { class: "actions" }, this.back, Object.values(this.actions), this.people.buttons, this.review, this.save, this.link),
      this.people.bar, this.scores, chooser, this.hinted);
    document.addEventListener("click", (event) => this.note(event), { capture: true });
    this.log = el("ol", { class: "log", "aria-label": "Moves so far" });
    this.entries = [];
    setInterval(() => this.tick(), 100);
  }

  /** Note whether a click is the second half of a double click on something else. */
  note(event) {
    const { target, timeStamp, clientX, clientY } = event;
    const { last } = this;
    const isSecond = last && timeStamp - last.timeStamp < DOUBLE && Math.hypot(clientX - last.clientX, clientY - last.clientY) < NEAR;
    this.isStray = Boolean(isSecond && last.target !== target);
    this.last = { target, timeStamp, clientX, clientY };
  }

  act(type, event) {
    const { resign } = this.actions;
    if (event.detail && this.isStray) return; // it was meant for a button that is gone
    if (type === "resign" && event.detail > 1) return; // a double click is not sure
    if (type === "resign" && !resign.classList.contains("sure")) {
      resign.classList.add("sure");
      resign.textContent = "Really resign?";
      setTimeout(() => this.unsure(), SURE);
      return;
    }
    if (type === "hint") this.hint("Thinking …");
    this.send({ type });
  }

  unsure() {
    this.actions.resign.classList.remove("sure");
    this.actions.resign.textContent = ACTIONS.resign;
  }

  hint(words) {
    this.hinted.hidden = !words;
    this.hinted.textContent = words;
  }

  connection(words) {
    this.status.textContent = words;
  }

  update(table) {
    const isLookingBack = table.ply < table.plies;
    const now = table.over ? table.result : table.waiting ?? table.status;
    this.status.textContent = isLookingBack && !table.over ? `Looking back: move ${table.ply} of ${table.plies}` : now;
    this.back.hidden = !isLookingBack || table.over;
    this.turn.classList.toggle("past", isLookingBack && !table.over);
    const focused = this.turn.contains(document.activeElement) && document.activeElement;
    this.turn.classList.toggle("yours", !table.over && table.you.includes(table.turn));
    this.turn.classList.toggle("seated", table.you.length > 0);
    if (table.version !== this.version) this.hint("");
    this.version = table.version;
    for (const [type, action] of Object.entries(this.actions)) {
      const isLater = type === "rematch" && !table.over;
      const isForOne = ["undo", "redo", "hint"].includes(type) && !table.can[type] && isShared(table);
      const isPast = isLookingBack && !table.over; // what is done now is about the position that is not shown
      action.hidden = isPast || isLater || isForOne || (table.over ? !table.can[type] : !table.you.length);
      action.disabled = !table.can[type];
      action.classList.toggle("primary", type === "rematch" && table.over);
    }
    this.actions.rematch.textContent = table.rematch ? "Go to the rematch" : ACTIONS.rematch;
    this.people.update(table);
    this.save.hidden = this.link.hidden = this.review.hidden = !table.over;
    this.save.href = `/api/tables/${encodeURIComponent(table.id)}/record`;
    this.showSeats(table);
    this.showScores(table);
    this.showLog(table);
    if (focused && (focused.disabled || focused.closest("[hidden]"))) this.status.focus(); // what had it is gone
  }

  showSeats(table) {
    const { seats, turn, you, over } = table;
    this.clocks = [];
    this.seats.classList.toggle("crowd", seats.length > 4);
    this.seats.replaceChildren(...seats.map((seat, player) => {
      const clock = el("span", { class: `clock${seat.time === null ? "" : " time"}` });
      const runs = turn === player && !over;
      if (seat.time !== null) this.clocks.push({ clock, left: seat.time, runs, since: performance.now() });
      else if (seat.thinking) this.clocks.push({ clock, seconds: seat.seconds ?? 0, since: performance.now() });
      const chips = Object.entries(seat.counters ?? {}).map(([name, count]) =>
        el("span", { class: "chip" }, `${name} `, el("b", { text: count })));
      const name = called({ seats }, player);
      const mine = you.includes(player) && name !== "You" ? " (you)" : "";
      const active = turn === player && !over;
      const fill = seat.may_seat_bot && button("Let a bot play", () => this.send({ type: "seat bot", seat: player, bot: "casual" }),
        { class: "small", "aria-label": `Let a bot play ${seat.title || name}` });
      return el("li", { class: `seat${active ? " active" : ""}${seat.open ? " open" : ""}`, "aria-current": active && "true" },
        spot(player),
        el("div", { class: "who" }, el("b", { text: name + mine }), el("small", { text: about(seat, name) })),
        fill || clock, chips.length ? el("div", { class: "chips" }, chips) : null);
    }));
    this.tick();
  }

  /** The clocks of those who think go on between messages. */
  tick() {
    for (const { clock, seconds, left, runs, since } of this.clocks ?? []) {
      const passed = (performance.now() - since) / 1000;
      if (left === undefined) {
        clock.textContent = `${(seconds + passed).toFixed(1)} s`;
      } else {
        const rest = Math.max(0, runs ? left - passed : left);
        clock.textContent = onClock(rest);
        clock.classList.toggle("runs", runs);
        clock.classList.toggle("low", runs && rest < LOW);
      }
    }
  }

  showScores(table) {
    const { over, seats, seed, ply, plies } = table;
    const scored = seats.some((seat) => typeof seat.score === "number");
    const telling = scored || table.utilities || seats.length > 2; // of two players the result says all
    this.scores.hidden = !over || ply < plies;
    this.seats.hidden = over && telling && ply === plies; // the table tells the same, and needs the room
    const rows = seats
      .map((seat, player) => ({ ...seat, player }))
      .sort((a, b) => (b.payoff ?? 0) - (a.payoff ?? 0));
    const few = scored && rows[0].score <= rows.at(-1).score; // the fewest points win
    rows.sort((a, b) => (b.payoff ?? 0) - (a.payoff ?? 0) || ((b.score ?? 0) - (a.score ?? 0)) * (few ? -1 : 1));
    const won = ({ payoff }) => (table.utilities ? payoff !== null && payoff === rows[0].payoff : payoff > 0);
    const final = telling && el("table", {},
      el("caption", { class: "unseen", text: "Final scores" }),
      el("thead", {}, el("tr", {}, el("th", { scope: "col", text: "Player" }),
        scored && el("th", { scope: "col", text: "Score" }), el("th", { scope: "col", text: table.utilities ? "Utility" : "Win" }))),
      el("tbody", {}, rows.map((seat) => el("tr", { class: won(seat) ? "won" : "" },
        el("th", { scope: "row" }, spot(seat.player), called(table, seat.player)),
        scored && el("td", { text: seat.score ?? "" }),
        el("td", { text: seat.paid })))));
    const again = typeof seed === "number" &&
      el("p", { class: "seed", text: `Seed ${seed}: enter it to play with the same chance outcomes again.` });
    this.scores.replaceChildren(...[final, again].filter(Boolean));
  }

  showLog(table) {
    const { log } = table;
    const isSame = (entry, i) => entry.say === log[i]?.say && entry.ply === log[i].ply;
    if (!this.entries.every(isSame)) {
      this.entries = [];
      this.log.replaceChildren();
    }
    this.log.classList.toggle("named", table.seats.length > 2);
    for (const entry of log.slice(this.entries.length)) {
      const who = entry.seat >= 0 ? called(table, entry.seat) : "Chance";
      const told = (entry.words ?? []).map((words) => el("span", { class: "told", text: words }));
      const by = entry.seat >= 0 && el("span", { class: table.seats.length > 2 ? "by" : "unseen", text: `${who}:` });
      const row = [spot(entry.seat), by, el("b", { text: capital(entry.say) }), ...told];
      const show = () => this.send({ type: "show", ply: entry.ply });
      this.log.append(el("li", { "data-name": entry.name, "data-ply": entry.ply, class: `${entry.seat >= 0 ? "" : "by-chance"}${told.length ? " wordy" : ""}` },
        button(row, show, { title: `${who}: show the position after this move` })));
    }
    this.entries = [...log];
    const shown = log.findLastIndex((entry) => entry.ply <= table.ply); // some moves are hidden from us
    const rows = [...this.log.children];
    rows.forEach((row, i) => row.classList.toggle("shown", i === shown));
    const panel = this.log.parentElement;
    if (shown >= 0) scrollWithin(panel, rows[shown]);
    else panel.scrollTop = 0;
  }
}

/** Seconds as a clock shows them: 1:02:03, 2:03 or, near the end, 9.8. */
function onClock(seconds) {
  if (seconds < 2 * LOW) return seconds.toFixed(1);
  const whole = Math.ceil(seconds), two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** Whether several people play, from different browsers. */
function isShared({ seats, you }) {
  return seats.some(({ bot }, player) => !bot && !you.includes(player));
}

/** More about a player: its seat in the game, or its own name where it goes by the seat's, and how well a bot plays. */
function about({ title, name, bot, words }, shown) {
  const other = shown === name ? title : name;
  return [other !== shown && other, bot && (words || (bot !== shown && bot))].filter(Boolean).join(" · ");
}

/** Scroll a panel, but never the page, so far that a row is seen. */
function scrollWithin(panel, row) {
  const above = row.offsetTop, below = above + row.offsetHeight + 8;
  if (above < panel.scrollTop) panel.scrollTop = above;
  else if (below > panel.scrollTop + panel.clientHeight) panel.scrollTop = below - panel.clientHeight;
}
