// A table: the socket to the server, what is shown of its messages and in which order.
//
// Messages are always whole. They are shown one after the other, each when the pieces of the last one have arrived, so
// that quick bots can be followed; a click, Space or Esc jumps to the latest.

import { Analysis } from "./analysis.js";
import { drawArrows } from "./arrows.js";
import { announce, called, coloursOf, el, paintSeats, toast } from "./dom.js";
import { Curtain } from "./curtain.js";
import { markLog } from "./grades.js";
import { LinePlayer } from "./line.js";
import { Chooser } from "./moves.js";
import { playOn } from "./play_on.js";
import { preferences } from "./preferences.js";
import { showPreparation } from "./preparation.js";
import { Replay } from "./replay.js";
import { SceneView } from "./scene.js";
import { Side } from "./side.js";
import { Tabs } from "./tabs.js";
import { hold } from "./turning_points.js";

const PAUSE = 160; // milliseconds between one move and the next
const FAR_BEHIND = 3; // messages: with more to show, what happens between two positions is left out
const FORCED = 700; // milliseconds for which a forced move is shown before it is made
const FIRST_RETRY = 400, LAST_RETRY = 8000;
const NO_SUCH_TABLE = 4404, CANNOT_OPEN = 4500; // the codes with which the server closes a socket

export async function showTable(main, id) {
  const page = new TablePage(main, id);
  await page.connect();
}

class TablePage {
  constructor(main, id) {
    this.main = main;
    this.id = id;
    this.queue = [];
    this.fresh = []; // entries of the log that were not told yet
    this.retry = FIRST_RETRY;
    this.wanted = new URLSearchParams(location.search).get("ply"); // the position that a link leads to
    this.curtain = new Curtain();
    document.addEventListener("keydown", (event) => {
      const isPressing = event.key === " " && event.target.closest("button, input, select, a");
      if (!this.isPlaying || isPressing || document.querySelector("dialog[open]")) return;
      if (event.key !== " " && event.key !== "Escape") return;
      event.preventDefault();
      this.hurry();
    });
  }

  // The socket

  connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}/ws/${encodeURIComponent(this.id)}`);
    return new Promise((known, unknown) => {
      this.socket.addEventListener("message", (event) => {
        const message = JSON.parse(event.data);
        if (message.type === "table") {
          this.isKnown = true;
          this.retry = FIRST_RETRY;
          this.connection("open");
          known();
        }
        if (this.isKnown) this.take(message);
        else if (message.type === "error") this.refusal = message.error;
      });
      this.socket.addEventListener("close", ({ code }) => {
        if (code === NO_SUCH_TABLE) unknown(new Error("This table no longer exists; start a new game."));
        else if (code === CANNOT_OPEN && !this.isKnown) unknown(new Error(this.refusal));
        else if (this.isKnown) this.reconnect();
        else unknown(new Error("The server is not responding. Is it still running?"));
      });
    });
  }

  /** Try again, later each time, or as soon as this device is online. */
  reconnect() {
    this.connection("lost");
    if (this.table?.over) this.wanted = this.table.ply;
    const again = () => {
      clearTimeout(timer);
      removeEventListener("online", again);
      this.connect().catch((error) => toast(error.message));
    };
    const timer = setTimeout(again, this.retry);
    addEventListener("online", again);
    this.retry = Math.min(2 * this.retry, LAST_RETRY);
  }

  /** Show whether the server is there: "lost" or "open". */
  connection(state) {
    if (!this.page || this.page.dataset.connection === state) return;
    this.page.dataset.connection = state;
    if (state === "lost") this.side.connection("Connection lost; reconnecting …");
    announce(state === "lost" ? "Connection lost; reconnecting." : "Connected again.");
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else toast("Connection lost; please wait a moment.");
  }

  take(message) {
    const { type } = message;
    if (type === "table") this.takeTable(message);
    else if (type === "hint") this.hint(message);
    else if (type === "analysis") this.analysis.rank(message);
    else if (type === "review") this.analysis.chart(message);
    else if (type === "moved") this.move(message);
    else if (type === "error") this.refuse(message.error);
  }

  /** A finished game is shown at the position that was asked for. */
  takeTable(message) {
    const ply = this.wanted === null ? NaN : Number(this.wanted);
    if (message.over) this.wanted = null;
    if (message.over && Number.isInteger(ply) && ply >= 0 && ply < message.plies) this.send({ type: "show", ply });
    else this.enqueue(message);
  }

  // What is shown

  enqueue(message) {
    this.queue.push(message);
    if (!this.isPlaying) this.play();
  }

  async play() {
    this.isPlaying = true;
    this.hurried = false;
    while (this.queue.length) {
      const message = this.queue.shift();
      if (this.hurried && this.queue.length && !message.turning_points.length) this.remember(message);
      else await this.show(message);
    }
    this.isPlaying = false;
  }

  hurry() {
    this.hurried = true;
    this.view?.settle();
    this.wake?.();
  }

  async show(message) {
    if (!this.side) {
      if (!message.scene && !message.text) return this.prepare(message);
      this.furnish(message);
    }
    await this.curtain.raiseFor(message);
    this.line.close(false);
    const isLast = () => this.queue.length === 0;
    const speed = preferences.speed * Math.max(1, message.speed, this.queue.length); // never far behind
    await this.lead(message, speed);
    if (this.view && message.scene) {
      const arrived = this.view.draw(message.scene, this.hurried || speed === Infinity ? 0 : speed);
      this.update(message, isLast());
      const moved = this.view.moving.length > 0;
      await arrived;
      if (moved && !isLast()) await this.rest(speed);
    } else {
      if (this.text) this.text.textContent = message.text ?? "";
      this.update(message, isLast());
    }
  }

  /** Show what leads to a position, step by step, and hold at its turning points. */
  async lead(message, speed) {
    const { steps = [], turning_points: points } = message;
    if (steps.length || points.length) this.chooser.offer([]);
    for (let step = 0; step <= steps.length; step++) {
      const held = points.filter((point) => point.steps === step);
      const isBrief = this.hurried || this.queue.length > FAR_BEHIND || speed === Infinity;
      if (step > 0 && this.view && (!isBrief || held.length)) {
        const arrived = this.view.draw(steps[step - 1], isBrief ? 0 : 1.2 * speed);
        this.measure();
        await arrived;
        if (!isBrief) await this.rest(speed);
      }
      for (const point of held) await this.hold(point, message);
    }
  }

  /** Hold at a turning point: players until they continue, spectators and replays for a while. */
  async hold(point, message) {
    const isWatched = !message.you.length || this.replay.timer || !preferences.get("hold");
    this.replay.isHeld = true;
    await hold(point, message, !isWatched, Math.max(1, message.speed));
    this.replay.isHeld = false;
  }

  /** A moment to see what has happened. */
  rest(speed = 1) {
    if (this.hurried) return null;
    return new Promise((wake) => {
      this.wake = wake;
      setTimeout(wake, PAUSE / speed);
    });
  }

  /** Where someone has to wait, say for what. */
  prepare(message) {
    const { title, waiting, status, result } = message;
    const words = result || waiting || status;
    const section = el("section", { class: "lost" },
      el("h1", { text: title }), el("div", { class: result ? "" : "wheel" }), el("p", { text: words }));
    this.main.replaceChildren(section);
    if (waiting && !result) showPreparation(section, message);
    announce(words);
  }

  /** The page for a table, made when its first message says what there is to show. */
  furnish(message) {
    const [name] = message.game.split(":");
    document.getElementById("trail").replaceChildren(
      el("span", { class: "where", text: message.title }),
      el("a", { href: `/rules/${encodeURIComponent(name)}?game=${encodeURIComponent(message.game)}` }, "Rules"),
    );
    const send = (sent) => this.send(sent);
    this.view = message.scene ? new SceneView("The board") : null;
    const plain = { class: "text-board", tabindex: 0, role: "region", "aria-label": "The board" };
    this.text = this.view ? null : el("pre", plain);
    this.chooser = new Chooser(this.view, (move) => this.choose(move));
    this.side = new Side(send, this.chooser.bar);
    this.replay = new Replay(send);
    this.line = new LinePlayer((position, speed) => this.drawLine(position, speed), (isShown) => this.leaveLine(isShown));
    this.analysis = new Analysis({
      send,
      preview: (clicks) => this.view?.preview(clicks),
      follow: (move) => this.follow(move),
      rank: (moves) => this.view && drawArrows(this.view, moves),
      grade: (moves) => markLog(this.side.log, moves),
      playOn: () => this.playOn(),
    });
    this.side.onreview = () => this.tabs.open("Analysis");
    const moves = this.view ? { Moves: this.chooser.list } : {}; // without a board to click on, the list is no extra
    this.tabs = new Tabs({ Log: this.side.log, ...moves, Analysis: this.analysis.panel, Settings: preferences.panel() });
    this.tabs.onopen = (title) => {
      this.page.dataset.panel = title;
      if (title !== "Analysis") this.line.close();
      this.analysis.look(title === "Analysis");
    };
    if (this.view) this.chooser.reveal = () => this.tabs.open("Moves");
    else this.chooser.bar.append(this.chooser.list);
    const skip = () => this.isPlaying && this.hurry();
    const board = el("div", { class: "board", onclick: skip }, this.view?.svg ?? this.text);
    this.page = el("div", { class: `table-page${this.view ? "" : " plain"}`, "data-connection": "open" },
      el("h1", { class: "unseen", text: message.title }),
      this.side.seats, board, this.side.turn, this.replay.bar, this.line.bar, this.tabs.panel);
    this.main.replaceChildren(this.page);
  }

  /** Keep what is new in the log until it is told. */
  remember(message) {
    const known = this.table?.log.length ?? message.log.length;
    this.fresh.push(...message.log.slice(known));
    this.table = message;
  }

  update(message, isLast) {
    if (this.table && this.table.version !== message.version) this.view?.preview(); // a hint was for what was before
    this.remember(message);
    const colours = coloursOf(message);
    paintSeats(message.seats.map(({ chosen, colour }, player) =>
      (!chosen && message.scene?.palette?.[`seat-${player}`]) || colours[colour]));
    this.side.update(message);
    this.replay.update(message);
    this.analysis.update(message);
    if (message.over) history.replaceState(null, "", addressOf(message));
    if (isLast) {
      const isNews = this.shownPlies !== undefined && message.plies > this.shownPlies;
      this.shownPlies = message.plies;
      this.chooser.offer(message.moves ?? []);
      this.makeForced(message);
      this.tell(message);
      const isMine = !message.over && message.you.includes(message.turn) && message.phase === "playing";
      document.title = `${isMine ? "(your turn) " : ""}${message.title} · kibitz`;
      if (isNews) preferences.signal(isMine);
      this.page.dataset.state = message.over ? "over" : message.moves?.length ? "yours" : "theirs";
      this.page.dataset.ply = message.ply;
      this.measure();
    }
  }

  /** Say what happened since the last message, and whose turn it is. */
  tell(message) {
    const who = (seat) => (seat >= 0 ? `${called(message, seat)}: ` : "");
    const told = this.fresh.map(({ seat, say, words }) => [`${who(seat)}${say}`, ...(words ?? [])].join(", "));
    this.fresh = [];
    const status = message.over ? message.result : message.status;
    if (told.length || status !== this.status) announce([...told, status].join(". "));
    this.status = status;
  }

  // What is done

  /** A move without an alternative is made after a moment, for those who prefer that. */
  makeForced({ moves = [], version }) {
    clearTimeout(this.forced);
    if (moves.length !== 1 || !preferences.get("forced")) return;
    this.forced = setTimeout(() => {
      if (this.table.version === version && this.chooser.moves.length === 1) this.chooser.make(this.chooser.moves[0]);
    }, FORCED);
  }

  choose(move) {
    if (this.isPlaying) this.hurry(); // whoever has moved already need not wait for the last move to arrive
    this.chosen = move;
    this.page.dataset.state = "sent";
    performance.mark("kibitz-chosen");
    this.send({ type: "play", move: move.move, version: this.table.version });
  }

  /** Note how long it took from the start to the first frame, and from a click to the frame with the move. */
  measure() {
    const name = this.isPainted ? this.chosen && "kibitz-reflected" : "kibitz-painted";
    const since = this.isPainted ? "kibitz-chosen" : undefined;
    this.isPainted = true;
    this.chosen = null;
    if (name) requestAnimationFrame(() => performance.measure(name, since));
  }

  refuse(words) {
    toast(words);
    this.chosen = null;
    if (this.side) this.chooser.offer(this.table.moves ?? []);
  }

  // Lines of play beside the game

  /** Play the line of a ranked move on the board. */
  follow({ line_moves: moves, say_line: line }) {
    this.view?.preview();
    this.chooser.offer([]);
    this.page.dataset.line = "";
    this.line.open({ table: this.id, ply: this.table.ply }, moves, line);
  }

  async drawLine({ scene, text, steps }, speed) {
    if (this.text) this.text.textContent = text;
    if (!this.view || !scene) return;
    drawArrows(this.view);
    for (const step of speed === Infinity ? [] : steps) await this.view.draw(step, 1.2 * speed);
    if (this.line.isOpen) await this.view.draw(scene, speed === Infinity ? 0 : speed);
  }

  leaveLine(isShown) {
    delete this.page.dataset.line;
    if (!isShown) return;
    if (this.text) this.text.textContent = this.table.text;
    this.view?.draw(this.table.scene, preferences.speed === Infinity ? 0 : preferences.speed);
    this.chooser.offer(this.table.moves ?? []);
    if (this.view) drawArrows(this.view, this.analysis.ranking.moves);
  }

  playOn() {
    const { game, seats, turn, ply, id } = this.table;
    playOn({ game, seats, turn, line: { table: id, ply } }).catch((error) => toast(error.message));
  }

  hint({ version, clicks, words }) {
    if (version !== this.table.version) return;
    this.view?.preview(clicks);
    this.side.hint(words);
    announce(`Hint: ${words}`);
  }

  move(place) {
    location.href = `/table/${place.id}`;
  }
}

/** The permanent address of a position: that of the game itself if it is the last one. */
function addressOf({ id, ply, plies }) {
  return `/table/${encodeURIComponent(id)}${ply < plies ? `?ply=${ply}` : ""}`;
}
