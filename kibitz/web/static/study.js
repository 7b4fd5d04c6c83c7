// The analysis board: moves are tried out in a tree of variations, and bots say what they think of each position.

import { announce, ask, button, coloursOf, copyButton, el, paintSeats, spot, toast } from "./dom.js";
import { Arranger } from "./arrange.js";
import { drawArrows } from "./arrows.js";
import { MoveNode } from "./move_tree.js";
import { Chooser } from "./moves.js";
import { Opinion } from "./opinion.js";
import { playOn } from "./play_on.js";
import { preferences } from "./preferences.js";
import { SceneView } from "./scene.js";

const MOST_OUTCOMES = 12; // of chance that are offered as buttons
const SOON = 150; // milliseconds to stay in a position before bots are asked about it

export async function showStudy(main) {
  document.title = "Analysis board · kibitz";
  const { games } = await ask("/api/games");
  const page = new Study(main, games);
  await page.open(asked(new URLSearchParams(location.search), games));
}

/** What the address asks for. */
function asked(query, games) {
  const numbers = (text) => (text ?? "").split(".").filter(Boolean).map(Number);
  const ply = query.get("ply") === null ? undefined : Number(query.get("ply"));
  if (query.get("table")) return { line: { table: query.get("table") }, ply };
  const line = { game: query.get("game") ?? games[0].name, moves: numbers(query.get("moves")) };
  if (query.get("position")) line.position = query.get("position");
  return { line, ply };
}

class Study {
  constructor(main, games) {
    this.games = games;
    this.game = el("select", { id: "study-game", "aria-label": "Game", onchange: () => this.open({ line: { game: this.game.value } }) },
      games.map(({ name, title }) => el("option", { value: name }, title)));
    this.board = el("div", { class: "board" });
    this.status = el("p", { class: "status" });
    this.turn = el("section", { class: "turn seated", "aria-label": "Current turn" });
    this.tree = el("ul", { class: "tree", "aria-label": "Moves and variations" });
    const follow = (move) => this.play(move.move);
    const preview = (clicks) => this.view?.preview(clicks);
    const changed = () => this.ask();
    this.opinions = [
      new Opinion("Who judges", { preview, follow, changed, ranked: (moves) => this.view && drawArrows(this.view, moves) }),
      new Opinion("Compare with", { preview, follow, changed }),
    ];
    this.arrange = button("Set up …", () => this.setUp(), { hidden: true });
    main.replaceChildren(el("div", { class: "study" },
      el("header", {}, el("h1", { text: "Analysis board" }), this.game, this.arrange, button("Paste …", () => this.paste())),
      this.board, this.turn, this.steps(),
      el("div", { class: "panels" },
        el("section", { "aria-label": "Variations", tabindex: 0 }, this.tree),
        el("section", { class: "opinions", "aria-label": "Opinions", tabindex: 0 }, this.opinions.map(({ element }) => element)))));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  steps() {
    const step = (words, label, onclick) => button(words, onclick, { class: "key", "aria-label": label, title: label });
    this.promoted = button("Make main line", () => this.promote());
    this.removed = button("Delete from here", () => this.remove());
    return el("div", { class: "steps", role: "group", "aria-label": "Steps" },
      step("«", "Go to the start", () => this.go(this.root)),
      step("‹", "Previous move", () => this.back()),
      step("›", "Next move", () => this.forward()),
      step("»", "Go to the end of this line", () => this.go(this.node.end)),
      this.promoted, this.removed,
      button("Play on", () => this.playOn()),
      copyButton("Copy link", () => location.href),
      this.copied = copyButton("Copy position", () => this.node.position?.position ?? ""),
      copyButton("Copy record", () => JSON.stringify(this.record())));
  }

  // Where it begins

  /** Begin with a line: from the opening, a typed position, or a table; at a ply of it, or at its end. */
  async open({ line, ply }) {
    const isNew = !line.moves?.length && !line.names && !line.table && !line.position;
    const wanted = { ...line, deal: isNew ? Math.floor(Math.random() * 2 ** 31) : undefined };
    const found = await ask("/api/positions", JSON.stringify(wanted));
    await this.begin(found);
    const path = [this.root];
    for (const one of found.plies) path.push(path.at(-1).after(one));
    path.at(-1).position = found;
    const at = ply === undefined ? path.length - 1 : Math.max(0, Math.min(ply, path.length - 1));
    await this.go(path[at]);
    this.arrange.hidden = !found.can_set_up;
  }

  async begin(found) {
    const [name] = found.game.split(":");
    this.start = { game: found.game, ...(found.start ? { position: found.start } : {}) };
    this.canType = found.can_type;
    this.copied.hidden = !found.can_type;
    this.arrange.hidden = true;
    this.seats = found.seats;
    this.root = this.node = new MoveNode();
    this.game.value = name;
    this.opinions.forEach((opinion) => opinion.stop());
    const { bots } = await ask(`/api/games/${encodeURIComponent(name)}/bots?game=${encodeURIComponent(found.game)}`);
    const searches = bots.filter(({ judges }) => judges);
    this.opinions[0].offer(searches);
    this.opinions[1].offer(searches, "Compare with …");
    this.view = found.scene ? new SceneView("The board") : null;
    this.text = el("pre", { class: "text-board", tabindex: 0, role: "region", "aria-label": "The board" });
    this.chooser = new Chooser(this.view, (move) => this.play(move.move), this.board.parentElement);
    if (!this.view) this.chooser.bar.append(this.chooser.list);
    this.chance = button("Let chance decide", () => this.deal(), { class: "primary", hidden: true });
    this.board.replaceChildren(this.view?.svg ?? this.text);
    this.turn.replaceChildren(this.status, this.chance, this.chooser.bar);
    const colours = coloursOf(found);
    paintSeats(colours.map((pair, seat) => found.scene?.palette?.[`seat-${seat}`] ?? pair));
  }

  /** Ask for a text, and open what it is: a record, a position, or moves. */
  paste() {
    const text = el("textarea", { id: "pasted", autofocus: true, spellcheck: "false", autocomplete: "off" });
    const trouble = el("p", { class: "error", role: "alert", hidden: true });
    const title = this.game.selectedOptions[0].textContent;
    const position = this.canType
      ? "A position is what “Copy position” gives, a record is a game that was saved."
      : `A record is a game that was saved. Positions of ${title} cannot be pasted: they need the moves that led there.`;
    const opened = async (event) => {
      event.preventDefault();
      try {
        await this.open(await this.read(text.value.trim()));
        dialog.close();
      } catch (error) {
        trouble.hidden = false;
        trouble.textContent = error.message;
      }
    };
    const dialog = el("dialog", { class: "paste ask", "aria-labelledby": "paste", onclose: () => dialog.remove() },
      el("form", { onsubmit: opened },
        el("h2", { id: "paste", text: "Paste a game" }),
        el("label", { for: "pasted" }, el("span", { text: this.canType ? "Moves, a position, or a record" : "Moves, or a record" }), text),
        el("p", { class: "note", text: `Moves are of ${title}, by their names, with what chance does in between. ${position}` }),
        trouble,
        el("div", { class: "dialog-actions" },
          button("Cancel", () => dialog.close()), el("button", { type: "submit", class: "primary" }, "Open"))));
    document.body.append(dialog);
    dialog.showModal();
  }

  /** Set a position up by hand, from the one that is shown. */
  async setUp() {
    if (this.arranger) return;
    this.opinions.forEach((opinion) => opinion.stop());
    clearTimeout(this.asking);
    const page = this.board.parentElement;
    const shown = [[...this.board.children], [...this.turn.children]];
    this.arranger = new Arranger(this.line, (position) => {
      this.arranger = null;
      page.classList.remove("arranging");
      this.board.replaceChildren(...shown[0]);
      this.turn.replaceChildren(...shown[1]);
      if (position) this.open({ line: { game: this.start.game, position } }).catch((error) => toast(error.message));
      else this.ask();
      this.arrange.focus();
    });
    page.classList.add("arranging");
    this.board.replaceChildren(this.arranger.view.svg);
    this.turn.replaceChildren(this.arranger.panel);
    await this.arranger.change();
  }

  /** What a text asks for. A record is opened at a table, which checks it. */
  async read(text) {
    if (!text.startsWith("{")) return { line: { game: this.start.game, names: text } };
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      throw new Error("This is neither a position nor a record: it is not complete.");
    }
    if (!("turns" in value)) return { line: { game: this.start.game, position: text } };
    const { id } = await ask("/api/records", text);
    return { line: { table: id } };
  }

  // Where we are

  get line() {
    return { ...this.start, moves: this.node.moves };
  }

  async go(node) {
    if (!node) return;
    const isNext = node.parent === this.node;
    this.node = node;
    this.showTree();
    this.keepAddress();
    try {
      node.position ??= await ask("/api/positions", JSON.stringify({ ...this.line, since: Math.max(0, this.node.path.length - 1) }));
    } catch (error) {
      toast(error.message);
      if (node.parent) this.go(node.remove());
      return;
    }
    if (this.node === node) await this.show(node.position, isNext);
  }

  async show(position, isNext) {
    const { scene, text, status, steps, moves, turn } = position;
    const { speed } = preferences;
    const isChance = turn === -1;
    this.status.textContent = status;
    this.chance.hidden = !isChance;
    if (this.view) drawArrows(this.view);
    this.chooser.offer([]);
    this.ask();
    if (this.view && scene) {
      for (const step of isNext && speed !== Infinity ? steps : []) await this.view.draw(step, 1.2 * speed);
      if (this.node.position !== position) return;
      this.view.draw(scene, speed === Infinity ? 0 : speed);
    } else {
      this.text.textContent = text;
    }
    this.chooser.offer(isChance && moves.length > MOST_OUTCOMES ? [] : moves);
    this.board.parentElement.dataset.ply = this.node.path.length;
    announce([this.node.ply?.say, status].filter(Boolean).join(". "));
  }

  /** Ask the bots, once somebody stays in a position. */
  ask() {
    clearTimeout(this.asking);
    this.opinions.forEach((opinion) => opinion.stop());
    this.asking = setTimeout(() => {
      for (const opinion of this.opinions) opinion.ask(this.line, this.seats);
    }, SOON);
  }

  /** Play a move from here; one that was not tried yet is a new variation. */
  async play(move) {
    const { position } = this.node;
    const choice = position?.moves.find((other) => other.move === move);
    if (choice) await this.go(this.node.after({ ...choice, seat: position.turn }));
  }

  /** Let chance fall at random, until a player is to move. */
  async deal() {
    const from = this.node;
    const wanted = { ...this.line, since: from.path.length, deal: Math.floor(Math.random() * 2 ** 31) };
    const found = await ask("/api/positions", JSON.stringify(wanted)).catch((error) => toast(error.message));
    if (!found || this.node !== from) return;
    let node = from;
    for (const ply of found.plies) node = node.after(ply);
    node.position = found;
    await this.go(node);
  }

  back() {
    if (this.node.parent) this.go(this.node.parent);
  }

  forward() {
    this.go(this.node.children[0]);
  }

  promote() {
    this.node.promote();
    this.showTree();
    this.keepAddress();
  }

  remove() {
    if (this.node.parent) this.go(this.node.remove());
  }

  playOn() {
    const { over, turn } = this.node.position ?? {};
    if (over) return toast("The game is over in this position.");
    playOn({ game: this.start.game, seats: this.seats, turn, line: this.line }).catch((error) => toast(error.message));
  }

  /** The line as a record that kibitz can read. */
  record() {
    const plies = this.node.path.map(({ ply }) => ply);
    const of = (what) => plies.map((ply) => ply[what]);
    const over = Boolean(this.node.position?.over);
    return { ...this.start, seed: 0, number: 0, luck: 0, seats: this.seats.map(({ name }) => name),
      turns: of("seat"), moves: of("move"), names: of("name"), over, payoff: [], score: [] };
  }

  /** The address is a link to this position, on the line that leads through it. */
  keepAddress() {
    const { game, position } = this.start;
    const query = new URLSearchParams({ game });
    if (position) query.set("position", position);
    const end = this.node.end, at = this.node.path.length;
    if (end.path.length) query.set("moves", end.moves.join("."));
    if (at < end.path.length) query.set("ply", at);
    history.replaceState(null, "", `/analyse?${query}`);
    this.promoted.disabled = this.node.isMain;
    this.removed.disabled = !this.node.parent;
  }

  showTree() {
    this.tree.replaceChildren(...this.rows(this.root));
    if (!this.tree.childElementCount) this.tree.append(el("li", { class: "empty", text: "Make a move on the board, or paste a game." }));
    const now = this.tree.querySelector("[aria-current]");
    const panel = this.tree.parentElement;
    if (now) {
      const above = now.offsetTop - panel.offsetTop;
      if (above < panel.scrollTop || above + now.offsetHeight > panel.scrollTop + panel.clientHeight) panel.scrollTop = above - 40;
    }
  }

  /** The line after a node, with the variations that branch off it. */
  rows(node) {
    const rows = [];
    for (let at = node; at.children.length; at = at.children[0]) {
      const [main, ...others] = at.children;
      rows.push(this.row(main));
      rows.push(...others.map((other) => el("li", { class: "variation" }, el("ul", {}, this.row(other), ...this.rows(other)))));
    }
    return rows;
  }

  row(node) {
    const { seat, say } = node.ply;
    const words = [el("span", { class: "number", text: `${node.path.length}.` }), spot(seat), say];
    return el("li", { class: seat >= 0 ? "" : "by-chance" },
      button(words, () => this.go(node), { "aria-current": node === this.node && "true" }));
  }

  key(event) {
    if (this.arranger || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea, dialog, [data-piece]")) return;
    const act = {
      ArrowLeft: () => this.back(), ArrowRight: () => this.forward(), Home: () => this.go(this.root), End: () => this.go(this.node.end),
      ArrowUp: () => this.go(this.node.sibling(-1)), ArrowDown: () => this.go(this.node.sibling(1)),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }
}
