// Play on from any position of a game: a new table, which begins after the moves that led there.

import { ask, button, capital, el, open, toast } from "./dom.js";

/** Ask for a seat and an opponent, and go to the new table. `line`: the moves so far, as the server is told them. */
export async function playOn({ game, seats, turn, line }) {
  const [name] = game.split(":");
  const { games } = await ask("/api/games");
  const levels = games.find((offered) => offered.name === name)?.levels ?? [];
  const seat = el("select", { id: "play-on-seat" }, seats.map(({ title, name: who }, player) =>
    el("option", { value: player, selected: player === Math.max(0, turn) }, capital(title || who))));
  const level = el("select", { id: "play-on-level" }, levels.map(({ key, title }) =>
    el("option", { value: key, selected: key === "strong" }, title)));
  const start = async (event) => {
    event.preventDefault();
    const own = Number(seat.value);
    const who = seats.map((_, player) => (player === own ? { you: true, name: "You" } : { bot: level.value }));
    await open("/api/tables", { game, seats: who, after: line }).catch((error) => toast(error.message));
  };
  const dialog = el("dialog", { class: "ask setup", "aria-labelledby": "play-on", onclose: () => dialog.remove() },
    el("form", { onsubmit: start },
      el("h2", { id: "play-on", text: "Play on from here" }),
      el("p", { class: "note", text: "A new game begins in this position. The one that you are looking at stays as it is." }),
      el("label", { for: "play-on-seat" }, el("span", { text: "You play" }), seat),
      el("label", { for: "play-on-level" }, el("span", { text: seats.length > 2 ? "The others" : "Your opponent" }), level),
      el("div", { class: "dialog-actions" },
        button("Cancel", () => dialog.close()), el("button", { type: "submit", class: "primary" }, "Play"))));
  document.body.append(dialog);
  dialog.showModal();
}
