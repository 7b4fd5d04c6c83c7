// Setting up a game: the variant, who sits where and in which colour, and the seed.

import { ask, button, capital, el, open, ownName } from "./dom.js";

const YOU = "you", OPEN = "open", ADVANCED = "advanced";

/** The clocks to choose from; programs can set any other. */
const CLOCKS = {
  "No clock": null,
  "30 seconds per move": { type: "per move", seconds: 30 },
  "2 minutes per move": { type: "per move", seconds: 120 },
  "3 minutes + 2 seconds per move": { type: "fischer", seconds: 180, increment: 2 },
  "10 minutes + 5 seconds per move": { type: "fischer", seconds: 600, increment: 5 },
};

/** What one click starts: the default variant against easy opponents. */
export function usualTable(game) {
  return { game: game.default, seats: usualSeats(game), seed: null, listed: false };
}

/** A game worth watching: the best bot against strong ones, in turn where there are more than two. */
export function watchedTable(game) {
  const [, , strong, best] = game.levels;
  const seats = Array.from({ length: usualPlayers(game) }, (_, place) => ({ bot: (place % 2 ? strong : best).key }));
  return { game: game.default, seats, seed: null, listed: true };
}

/** A table with a seat for whoever opens its link. */
export function sharedTable(game) {
  const seats = usualSeats(game);
  seats[0] = { you: true, name: ownName.get() };
  seats[1] = { open: true };
  return { game: game.default, seats, seed: null };
}

function usualSeats(game) {
  const level = (game.levels.find(({ key }) => key === "casual") ?? game.levels[0]).key;
  const seats = Array.from({ length: usualPlayers(game) }, () => ({ bot: level }));
  seats[0] = { you: true, name: "You" };
  return seats;
}

export function usualPlayers(game) {
  return game.seats?.length ?? game.players[0];
}

export function setUp(game, colours) {
  const form = new Setup(game, colours);
  document.body.append(form.dialog);
  form.dialog.addEventListener("close", () => form.dialog.remove());
  form.dialog.showModal();
}

class Setup {
  constructor(game, palette) {
    this.game = game;
    this.palette = palette;
    this.fields = game.fields.map((field) => [field, input(field)]);
    this.seats = [];
    this.seatList = el("ol", { class: "seat-choices" });
    this.bots = el("datalist", { id: "bots" });
    this.seed = el("input", { id: "seed", type: "number", min: 0, step: 1, placeholder: "random" });
    this.name = el("input", { id: "own-name", type: "text", maxlength: 30, autocomplete: "nickname", value: ownName.get() });
    this.named = labelled("Your name, for the others", this.name);
    this.named.hidden = true;
    this.clock = el("select", { id: "clock" }, Object.keys(CLOCKS).map((name) => el("option", {}, name)));
    this.listed = el("input", { id: "listed", type: "checkbox", onchange: () => (this.isListedChosen = true) });
    this.error = el("p", { class: "error", role: "alert", hidden: true });
    const [fewest, most] = game.players;
    const counts = Array.from({ length: most - fewest + 1 }, (_, i) => fewest + i);
    const players = input({ name: "players", default: usualPlayers(game), kind: "choice", choices: counts });
    players.addEventListener("change", () => this.setPlayers(Number(players.value)));
    this.setPlayers(usualPlayers(game));
    this.dialog = el("dialog", { class: "setup", "aria-labelledby": "setup-title" },
      el("form", { onsubmit: (event) => this.start(event) },
        el("h2", { id: "setup-title", text: game.title }),
        el("fieldset", {}, el("legend", { text: "Who plays" }),
          fewest < most ? labelled("Players", players) : null, this.seatList, this.named),
        this.fields.length > 0 && el("fieldset", {}, el("legend", { text: "Rules" }),
          el("div", { class: "variant" }, this.fields.map(([field, entry]) => fieldRow(field, entry)))),
        el("fieldset", {}, el("legend", { text: "Time" }), labelled("Clock", this.clock,
          "Whoever runs out of time loses. Bots have clocks, too.")),
        el("fieldset", {}, el("legend", { text: "Who can find it" }),
          el("label", { for: "listed", class: "tick" }, this.listed, "List this table"),
          el("p", { class: "note", text: "Everyone on this server can then join an open seat, watch, and replay the game later. Otherwise, only those who have its link can." })),
        el("fieldset", {}, el("legend", { text: "Luck" }), labelled("Seed", this.seed),
          el("p", { class: "note", text: "A number that decides the dice and the deal: the same one gives the same luck again. Leave it empty to be surprised." })),
        el("div", { class: "dialog-actions" }, this.error,
          button("Cancel", () => this.dialog.close()), el("button", { type: "submit", class: "primary" }, "Start"))),
      this.bots);
    this.listBots();
  }

  /** The bots that a spec may name, offered while one types. */
  async listBots() {
    const { bots } = await ask(`/api/games/${encodeURIComponent(this.game.name)}/bots`).catch(() => ({ bots: [] }));
    this.bots.append(...bots.map(({ name, words }) => el("option", { value: name, label: words })));
  }

  setPlayers(players) {
    const usual = usualSeats(this.game);
    for (let place = this.seats.length; place < players; place += 1) {
      this.seats.push(this.seat(place, usual[place] ?? usual.at(-1)));
    }
    this.players = players;
    this.changed();
    this.seatList.replaceChildren(...this.seats.slice(0, players).map(({ row }) => row));
  }

  /** With open seats, the others want a name, and nobody may know the dice to come. Others find a table unless you play alone. */
  changed() {
    const seats = this.seats.slice(0, this.players);
    const isShared = seats.some(({ who }) => who.value === OPEN);
    if (!this.isListedChosen) this.listed.checked = isShared || !seats.some(({ who }) => who.value === YOU);
    const people = seats.filter(({ who }) => who.value === YOU).length;
    for (const { who, name } of seats) name.hidden = who.value !== YOU || people < 2;
    this.named.hidden = !isShared || people > 1;
    this.seed.disabled = isShared;
  }

  seat(place, usual) {
    const title = capital(this.game.seats?.[place] ?? `player ${place + 1}`);
    const shown = el("b", { text: title });
    const name = el("input", { type: "text", maxlength: 30, placeholder: "Name", "aria-label": `Name of ${title}`, hidden: true });
    const words = el("p", { class: "note" });
    const spec = el("input", {
      type: "text", list: "bots", "aria-label": `Bot for ${title}`, placeholder: "name:option=value", hidden: true,
    });
    const who = el("select", { "aria-label": `Who plays ${title}` },
      el("option", { value: YOU }, "You"),
      el("option", { value: OPEN }, "Open: whoever has the link"),
      this.game.levels.map((level) => el("option", { value: level.key }, level.title)),
      el("option", { value: ADVANCED }, "Another bot …"));
    const explain = () => {
      spec.hidden = who.value !== ADVANCED;
      spec.required = !spec.hidden;
      const level = this.game.levels.find(({ key }) => key === who.value);
      words.textContent = level?.words ?? (spec.hidden ? "" : "A bot and its options, as on the command line.");
      this.changed();
    };
    who.value = usual.you ? YOU : usual.bot;
    who.addEventListener("change", explain);
    explain();
    const colours = this.colours(title, shown);
    const choice = el("div", { class: "seat-choice" }, shown, who, colours.row);
    return { title: shown, who, name, spec, colours, row: el("li", {}, choice, name, spec, words) };
  }

  /** A choice of colours: none chosen, the game's own; taking another seat's colour leaves it ours. A seat that is called
   * by its colour is then `shown` by the name of the chosen one. */
  colours(title, shown) {
    const choice = { chosen: null };
    choice.set = (colour) => {
      choice.chosen = colour;
      if (this.game.coloured_seats) shown.textContent = colour === null ? title : capital(this.palette[colour][2]);
      dots.forEach((dot, i) => dot.setAttribute("aria-checked", i === colour));
    };
    const take = (colour) => {
      this.seats.find(({ colours }) => colours !== choice && colours.chosen === colour)?.colours.set(choice.chosen);
      choice.set(colour);
    };
    const dots = this.palette.map(([day, night, name], colour) => {
      const dot = button("", () => take(colour), { class: "dot", role: "radio", "aria-label": capital(name), title: capital(name) });
      dot.style.setProperty("--dot", `light-dark(${day}, ${night})`);
      return dot;
    });
    choice.set(null);
    choice.row = el("div", { class: "dots", role: "radiogroup", "aria-label": `Colour for ${title}` }, dots);
    return choice;
  }

  /** Every seat's colour, if any was chosen: the others then take what is left. */
  chosenColours(seats) {
    const chosen = seats.map(({ colours }) => colours.chosen);
    if (chosen.every((colour) => colour === null)) return undefined;
    const free = [...this.palette.keys()].filter((colour) => !chosen.includes(colour));
    return chosen.map((colour) => colour ?? free.shift());
  }

  spec() {
    return specOf(this.game, this.fields);
  }

  async start(event) {
    event.preventDefault();
    const seats = this.seats.slice(0, this.players);
    const people = seats.filter(({ who }) => who.value === YOU).length;
    const who = seats.map(({ title, who: { value: key }, name, spec }) => {
      if (key === OPEN) return { open: true };
      if (key === YOU && people > 1) return { you: true, name: name.value.trim() || title.textContent };
      if (key === YOU) return { you: true, name: (!this.named.hidden && this.name.value) || "You" };
      return { bot: key === ADVANCED ? spec.value.trim() : key };
    });
    if (!this.named.hidden) ownName.set(this.name.value.trim());
    const seed = this.seed.value === "" || this.seed.disabled ? null : Number(this.seed.value);
    try {
      const clock = CLOCKS[this.clock.value];
      const listed = this.listed.checked;
      await open("/api/tables", { game: this.spec(), seats: who, seed, clock, listed, colours: this.chosenColours(seats) });
    } catch (error) {
      this.error.hidden = false;
      this.error.textContent = error.message;
    }
  }
}

/** A game's spec: its name and the fields, each with its entry, that are not as usual. */
export function specOf(game, fields) {
  const options = fields.map(([field, entry]) => [field, value(field, entry)])
    .filter(([field, chosen]) => String(chosen) !== String(field.default))
    .map(([field, chosen]) => `${field.name}=${chosen}`);
  return [game.name, options.join(",")].filter(Boolean).join(":");
}

/** A field of the rules, as people call it, and its entry. */
export function fieldRow({ name, words, kind }, entry) {
  const label = words || capital(name.replaceAll("_", " "));
  return kind === "bool" ? el("label", { for: entry.id, class: "tick" }, entry, label) : labelled(label, entry);
}

export function input({ name, default: usual, kind, choices, choice_words: words = choices, min, max }) {
  const id = `field-${name}`;
  if (kind === "bool") return el("input", { id, type: "checkbox", checked: usual });
  if (kind === "choice") {
    return el("select", { id }, choices.map((choice, i) =>
      el("option", { value: choice, selected: choice === usual }, String(words[i]))));
  }
  return el("input", { id, type: "number", step: kind === "int" ? 1 : "any", min, max, value: usual });
}

function value({ kind }, entry) {
  return kind === "bool" ? entry.checked : entry.value;
}

export function labelled(name, entry, words) {
  return el("label", { for: entry.id },
    el("span", { text: name }), entry, words && el("small", { class: "note", text: words }));
}
