// Making a move: by clicking what is highlighted, piece after piece; by dragging a piece to where it goes, or the pointer
// through all pieces of a move; with the keyboard; or from the list of all moves, which finds them by name and is all
// there is where a game has no scene.

import { button, capital, el, whileLookedAt } from "./dom.js";
import { preferences } from "./preferences.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const DRAG_FROM = 6; // CSS pixels

export class Chooser {
  /** `choose` is told the move; `view` is null where a game has no scene; keys count within `scope`. */
  constructor(view, choose, scope = document) {
    this.view = view;
    this.choose = choose;
    this.reveal = () => {}; // brings the list of moves to the front
    this.moves = [];
    this.clicked = [];
    this.prompt = el("p", { class: "prompt" });
    this.buttons = el("div", { class: "choices" });
    this.bar = el("div", { class: "chooser", tabindex: -1 }, this.prompt, this.buttons);
    this.makeList();
    if (view) this.listen(view.svg);
    scope.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("click", (event) => {
      if (this.clicked.length && !event.target.closest(".scene, .chooser, .all-moves")) this.cancel();
    });
  }

  /** Offer the legal moves; none: it is not our turn. */
  offer(moves) {
    const same = moves.length === this.moves.length && moves.every((move, i) => move.name === this.moves[i].name);
    this.moves = moves;
    this.clicked = [];
    this.narrow();
    if (!same) this.fillList();
    if (moves.length && this.byKeyboard && document.activeElement === document.body) this.view?.focus();
  }

  /** The moves that begin with what was clicked. */
  get left() {
    return this.moves.filter(({ clicks }) => this.clicked.every((name, i) => clicks[i] === name));
  }

  /** The pieces that can be clicked as the next step of the given moves. */
  next(moves, step) {
    return new Set(moves.map(({ clicks }) => clicks[step]).filter((name) => name !== undefined));
  }

  narrow() {
    const step = this.clicked.length;
    const left = this.left;
    const options = this.next(left, step);
    const grabbed = new Set([...options].filter((name) => step === 0 && this.isDraggable(name)));
    this.view?.offer(options, this.clicked, grabbed);
    this.foresee();
    const isOnly = this.moves.length === 1 && step === 0;
    const asButtons = this.view ? left.filter(({ clicks }) => clicks.length === step || isOnly) : [];
    this.buttons.replaceChildren(
      ...asButtons.map((move) => button(capital(move.say), () => this.finish(move), { class: step ? "" : "primary" })),
      ...(step ? [button("Cancel", () => this.cancel())] : []),
    );
    this.prompt.textContent = this.words(options.size, asButtons.length);
  }

  /** Show what all moves put down that begin with what was clicked and, perhaps, another piece. */
  foresee(name) {
    const step = this.clicked.length;
    const [first, ...others] = step || name !== undefined ? this.left.filter(({ clicks }) => name === undefined || clicks[step] === name) : [];
    const isShared = (piece) => others.every(({ landing = [] }) =>
      landing.some((other) => other.name === piece.name && other.x === piece.x && other.y === piece.y));
    this.view?.foresee(first?.landing?.filter(isShared));
  }

  words(options, buttons) {
    if (!this.moves.length) return "";
    if (this.clicked.length) return `${capital(this.view.label(this.clicked.at(-1)))}. Now click a highlighted option.`;
    if (this.moves.length === 1) return `Only one legal move: ${this.moves[0].say}.`;
    if (!this.view) return "Choose a move, or type its name.";
    if (!options) return buttons ? "Choose:" : "";
    return buttons ? "Click a highlighted option, or choose:" : "Click a highlighted option.";
  }

  pick(name, complete = true) {
    if (!this.next(this.left, this.clicked.length).has(name)) {
      this.clicked = [];
      if (!this.next(this.left, 0).has(name)) return this.narrow();
    }
    this.clicked.push(name);
    this.view.stop = name; // from where the arrow keys go on
    const left = this.left;
    const [only] = left;
    if (left.length === 1 && (complete || only.clicks.length === this.clicked.length)) return this.finish(only);
    this.narrow();
    if (this.byKeyboard) this.view.focus();
  }

  cancel() {
    this.clicked = [];
    this.narrow();
    if (this.byKeyboard) this.view?.focus();
  }

  /** A move is complete; some people want to look at it first. */
  finish(move) {
    if (!preferences.get("confirm")) return this.make(move);
    this.clicked = [];
    this.view?.offer(new Set(), [], new Set());
    this.look(move);
    this.prompt.textContent = `${capital(move.say)}?`;
    const sure = button("Play it", () => this.make(move), { class: "primary" });
    this.buttons.replaceChildren(sure, button("Cancel", () => this.callOff()));
    sure.focus();
  }

  /** Show a move on the board; none: no longer. */
  look(move) {
    this.view?.preview(move?.clicks);
    this.view?.foresee(move?.landing);
  }

  callOff() {
    this.look();
    this.cancel();
  }

  make(move) {
    if (this.bar.contains(document.activeElement)) this.bar.focus(); // its buttons are about to go
    if (this.rows.contains(document.activeElement)) this.search.focus(); // the list is about to change
    this.offer([]);
    this.view?.preview();
    this.choose(move);
  }

  // By pointer

  listen(board) {
    board.addEventListener("pointerdown", (event) => this.press(event));
    board.addEventListener("pointermove", (event) => this.move(event));
    board.addEventListener("pointerup", (event) => this.release(event));
    board.addEventListener("pointercancel", () => this.letGo(true));
    board.addEventListener("pointerleave", () => this.hover());
    board.addEventListener("click", (event) => this.click(event));
    board.addEventListener("focusin", ({ target }) => this.foresee(target.closest("[data-piece]")?.dataset.piece));
    board.addEventListener("focusout", () => this.foresee());
    const isHeld = () => this.pressed?.isDraggable || this.pressed?.isTraced;
    const hold = (event) => isHeld() && event.preventDefault(); // a finger on a piece does not scroll
    board.addEventListener("touchmove", hold, { passive: false });
  }

  /** The piece under the pointer that continues the move, else one that begins another. */
  under({ clientX, clientY }) {
    const { view, moves, clicked } = this;
    return view.find(clientX, clientY, view.options) ??
      (clicked.length ? view.find(clientX, clientY, this.next(moves, 0)) : undefined);
  }

  press(event) {
    this.byKeyboard = this.isCalledOff = false;
    const name = event.button === 0 ? this.under(event) : undefined;
    if (name === undefined) return void (this.pressed = null);
    const isDraggable = this.isDraggable(name), isTraced = !isDraggable && this.isTraced(name);
    this.pressed = { name, x: event.clientX, y: event.clientY, isDraggable, isTraced, dragging: false };
    this.hover(name);
  }

  hover(name) {
    this.view.hover(name);
    this.foresee(name);
  }

  move(event) {
    if (event.buttons === 0) this.pressed = null; // it was let go of beside the board
    const { pressed } = this;
    if (!pressed) {
      if (event.pointerType === "mouse") this.hover(this.under(event));
      return;
    }
    const far = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > DRAG_FROM;
    if (!pressed.dragging && far && (pressed.isDraggable || pressed.isTraced)) {
      pressed.dragging = true;
      this.view.svg.setPointerCapture(event.pointerId);
      if (pressed.isDraggable) this.clicked = [];
      this.pick(pressed.name, false);
    }
    if (pressed.dragging && pressed.isTraced) {
      this.trace(event);
    } else if (pressed.dragging) {
      this.view.drag(pressed.name, event.clientX, event.clientY);
      this.view.hover(this.view.find(event.clientX, event.clientY, this.view.options));
    }
  }

  release(event) {
    if (!this.pressed?.dragging) {
      this.pressed = null;
      return;
    }
    this.dropped = event.timeStamp; // the click that follows a drag is none
    if (this.pressed.isTraced) return this.endTrace(event);
    const target = this.view.find(event.clientX, event.clientY, this.view.options);
    this.letGo(target === undefined);
    if (target !== undefined) this.pick(target);
  }

  letGo(back) {
    if (this.pressed?.dragging) {
      if (this.pressed.isDraggable) this.view.drop(this.pressed.name, back);
      if (back) this.cancel();
    }
    this.pressed = null;
  }

  /** Whether a move goes on after a piece, so that the pointer can be dragged from there to the next one. */
  isTraced(name) {
    const step = this.view.options.has(name) ? this.clicked.length : 0; // else it begins another move
    const moves = step ? this.left : this.moves;
    return moves.some(({ clicks }) => clicks[step] === name && clicks.length > step + 1);
  }

  /** Follow the pointer along the pieces of a move: onward, back, or from the last one to another in its place. */
  trace({ clientX, clientY }) {
    const { clicked, view } = this;
    const before = clicked.slice(0, -1);
    const begun = this.moves.filter(({ clicks }) => before.every((name, i) => clicks[i] === name));
    const beside = before.length ? this.next(begun, before.length) : [];
    const name = view.find(clientX, clientY, new Set([...view.options, ...clicked, ...beside]));
    if (name === undefined || name === clicked.at(-1)) return;
    if (view.options.has(name)) clicked.push(name);
    else if (clicked.includes(name)) clicked.length = clicked.indexOf(name) + 1;
    else clicked.splice(-1, 1, name);
    this.narrow();
  }

  /** Make the move along which the pointer was dragged; if it has parts left, they can be clicked. */
  endTrace({ clientX, clientY }) {
    const { clicked, left } = this;
    const isThere = this.view.find(clientX, clientY, new Set(clicked.slice(-1))) !== undefined;
    this.letGo(!isThere);
    if (isThere && clicked.length > 1 && left.length === 1) this.finish(left[0]);
  }

  /** Whether a piece is moved rather than pointed at: its moves say where it goes, to something at least as large. */
  isDraggable(name) {
    const moves = this.moves.filter(({ clicks }) => clicks[0] === name);
    const size = (piece) => {
      const box = this.view.pieces.get(piece)?.group.getBoundingClientRect();
      return box ? box.width * box.height : 0;
    };
    return moves.length > 0 && moves.every(({ clicks }) => clicks.length === 2 && size(clicks[1]) >= 0.9 * size(name));
  }

  click(event) {
    if (this.isCalledOff || event.timeStamp - this.dropped < 50) return;
    const itself = event.target.closest("[data-piece]")?.dataset.piece;
    const name = this.view.options.has(itself) ? itself : this.under(event);
    const again = name !== undefined && name === this.clicked.at(-1) && !this.view.options.has(name);
    if (name === undefined || again) {
      if (this.clicked.length) this.cancel();
    } else {
      this.pick(name);
    }
  }

  // By keyboard

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && this.clicked.length) {
      this.isCalledOff = Boolean(this.pressed?.dragging); // what is let go of later is dropped nowhere
      if (this.isCalledOff) this.letGo(true);
      else this.cancel();
      return;
    }
    const focused = event.target.closest?.("[data-piece]")?.dataset.piece;
    if (focused !== undefined && this.view.options.has(focused)) this.keyOnPiece(event, focused);
    const typing = event.target.matches?.("input, select, textarea");
    if (event.defaultPrevented || typing || !this.moves.length || !/^[\p{L}\p{N}]$/u.test(event.key)) return;
    this.reveal();
    this.search.focus();
  }

  keyOnPiece(event, name) {
    if (event.key in ARROWS) {
      this.view.focus(this.view.neighbour(name, ARROWS[event.key]));
    } else if (event.key === "Enter" || event.key === " ") {
      this.byKeyboard = true;
      this.pick(name);
    } else {
      return;
    }
    event.preventDefault();
  }

  // By name

  makeList() {
    this.search = el("input", {
      type: "search", placeholder: "Type a move", "aria-label": "Find a move by name", autocomplete: "off",
      oninput: () => this.filter(),
      onkeydown: (event) => {
        if (event.key === "Enter") this.matches()[0]?.click();
        if (event.key === "Escape") this.search.value = "";
        if (event.key === "Enter" || event.key === "Escape") this.filter();
      },
    });
    this.rows = el("ul", { class: "moves" });
    this.list = el("div", { class: "all-moves" }, this.search, this.rows);
  }

  fillList() {
    this.search.value = "";
    const shows = (move) => whileLookedAt(() => this.look(move), () => this.look());
    this.list.classList.toggle("idle", !this.moves.length);
    this.rows.replaceChildren(
      ...this.moves.map((move) => el("li", {}, button(capital(move.say), () => this.finish(move), { "data-name": move.name, ...shows(move) }))),
    );
    const empty = el("li", { class: "empty", text: "Moves are listed here when it is your turn." });
    if (!this.moves.length) this.rows.append(empty);
  }

  /** The buttons whose move is called as typed, in words or in notation: exactly if there is one, else by parts of it. */
  matches() {
    const plain = (words) => words.toLowerCase().replace(/\s+/g, " ").trim();
    const wanted = plain(this.search.value);
    const buttons = [...this.rows.querySelectorAll("button")];
    const callings = (row) => [row.textContent, row.dataset.name].map(plain);
    const exact = buttons.filter((row) => callings(row).includes(wanted));
    const has = (calling) => wanted.split(" ").every((word) => calling.includes(word));
    return exact.length ? exact : buttons.filter((row) => callings(row).some(has));
  }

  filter() {
    const wanted = new Set(this.matches());
    for (const row of this.rows.querySelectorAll("button")) row.parentElement.hidden = !wanted.has(row);
  }
}
