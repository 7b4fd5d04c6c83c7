// A list of tables that stays up to date: rows are changed in place, so that nothing flickers and no focus is lost.

import { announce, ask, button, el, toast, unseen } from "./dom.js";
import { picture } from "./scene.js";

const ACTIONS = { open: "Join", running: "Watch", unfinished: "Continue", finished: "Replay" };
const BEGAN = { preparing: "being prepared", gathering: "opened", playing: "began", over: "ended" };
const UNITS = [[60, "second"], [60, "minute"], [24, "hour"], [7, "day"], [4.35, "week"], [12, "month"], [Infinity, "year"]];

export class TableList {
  /** `address` answers with pages of tables; if `most` is given, only so many are shown, to go there and no more. */
  constructor({ address, stage, games, empty, most = Infinity, label }) {
    Object.assign(this, { address, stage, games, most });
    this.rows = new Map();
    this.next = null;
    this.list = el("ul", { class: "table-list", "aria-label": label });
    this.empty = el("div", { class: "nothing", hidden: true }, empty);
    this.more = button("Show more", () => this.showMore(), { hidden: true });
    this.element = el("div", { class: "table-lister" }, this.list, this.empty, this.more);
  }

  get length() {
    return this.rows.size;
  }

  /** Ask for the latest tables. What comes after them in the list stays as it is. */
  async refresh() {
    const page = await ask(this.address);
    const last = page.tables.at(-1);
    const isLater = (table) => page.next && (table.since < last.since || (table.since === last.since && table.id < last.id));
    const later = [...this.rows.values()].map(({ table }) => table).filter(isLater);
    if (!later.length) this.next = page.next;
    this.show([...page.tables, ...later], page.now);
    return page;
  }

  async showMore() {
    try {
      const page = await ask(`${this.address}&before=${encodeURIComponent(this.next)}`);
      const known = [...this.rows.values()].map(({ table }) => table);
      this.next = page.next;
      this.show([...known, ...page.tables.filter(({ id }) => !this.rows.has(id))], page.now);
      this.rows.get(page.tables[0]?.id)?.link.focus();
    } catch (error) {
      toast(error.message);
    }
  }

  show(tables, now) {
    const shown = tables.slice(0, this.most);
    for (const id of this.rows.keys()) if (!shown.some((table) => table.id === id)) this.drop(id);
    shown.forEach((table, place) => {
      if (!this.rows.has(table.id)) this.rows.set(table.id, new Row(this, table));
      const row = this.rows.get(table.id);
      row.update(table, now);
      if (this.list.children[place] !== row.element) this.list.insertBefore(row.element, this.list.children[place] ?? null);
    });
    this.list.hidden = !shown.length;
    this.empty.hidden = shown.length > 0;
    this.more.hidden = !this.next || this.most < Infinity;
  }

  drop(id) {
    this.rows.get(id).element.remove();
    this.rows.delete(id);
  }

  /** Delete a table, and go on with the next one. */
  async delete({ id, title }) {
    const { element } = this.rows.get(id);
    const neighbour = element.nextElementSibling ?? element.previousElementSibling;
    await ask(`/api/tables/${encodeURIComponent(id)}`, undefined, "DELETE");
    this.drop(id);
    (neighbour?.querySelector("a") ?? document.getElementById("main")).focus();
    announce(`${title} was deleted.`);
    await this.refresh();
  }
}

class Row {
  constructor(list, table) {
    this.list = list;
    const isMine = table.seats.some(({ you }) => you);
    const action = isMine && list.stage !== "finished" ? ACTIONS.unfinished : ACTIONS[list.stage];
    const game = list.games.find(({ name }) => name === table.game.split(":")[0]);
    this.link = el("a", { class: "start", href: `/table/${encodeURIComponent(table.id)}` }, table.title);
    this.players = el("p", { class: "players" });
    this.facts = el("p", { class: "facts" });
    this.remove = button("Delete", () => askToDelete(this.table, () => list.delete(this.table)), { class: "small quiet" });
    this.element = el("li", { class: "table-row" },
      el("div", { class: "thumbnail", "aria-hidden": "true" },
        game?.scene ? picture(game.scene, "") : el("span", { text: table.title[0] })),
      el("div", { class: "gist" }, el("h3", {}, this.link, unseen(`: ${action.toLowerCase()}`)), this.players, this.facts),
      el("div", { class: "row-actions" }, this.remove, el("span", { class: "go", "aria-hidden": "true", text: action })));
  }

  update(table, now) {
    this.table = table;
    this.remove.hidden = !table.may_delete || this.list.most < Infinity;
    this.remove.setAttribute("aria-label", `Delete ${table.title}, ${names(table).join(" – ")}`);
    const key = JSON.stringify(table.seats);
    if (key !== this.key) this.players.replaceChildren(...table.seats.flatMap(player));
    this.key = key;
    const when = `${BEGAN[table.phase]} ${ago(now - table.since)}`;
    const short = [moves(table), clock(table.clock), when].map((fact) => fact.replaceAll(" ", "\u00a0")); // none is broken in two
    const facts = [table.result.replace(/\.$/, ""), ...short].filter(Boolean).join(" · ");
    if (this.facts.textContent !== facts) this.facts.textContent = facts;
    this.facts.title = new Date(table.since * 1000).toLocaleString("en");
  }
}

function player(seat, place) {
  const name = el(seat.won ? "b" : "span", { class: seat.open ? "wanted" : "", text: called(seat) });
  return [place > 0 && " – ", name, seat.bot && el("small", { class: "bot-mark", text: "bot" })].filter(Boolean);
}

function called({ name, you }) {
  return you ? "You" : name;
}

function names({ seats }) {
  return seats.map(called);
}

function moves({ phase, plies }) {
  if (phase === "gathering" || phase === "preparing") return "";
  if (!plies) return "no moves yet";
  return plies === 1 ? "1 move" : `${plies} moves`;
}

function clock(control) {
  if (!control) return "";
  const time = (seconds) => (seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`);
  return control.type === "fischer" ? `${time(control.seconds)} + ${time(control.increment)}` : `${time(control.seconds)} per move`;
}

/** How long ago something was: "5 minutes ago", "yesterday". */
function ago(seconds) {
  let amount = Math.max(0, seconds);
  if (amount < 60) return "just now";
  const [, unit] = UNITS.find(([size]) => {
    if (Math.round(amount) < size) return true;
    amount /= size;
    return false;
  });
  return new Intl.RelativeTimeFormat("en", { numeric: "auto" }).format(-Math.round(amount), unit);
}

/** Say what deleting means, and do it if that is wanted. */
function askToDelete(table, remove) {
  const others = table.seats.filter(({ bot, open, you }) => !bot && !open && !you).map(({ name }) => name);
  const loses = others.length && table.phase === "over" ? ` It is gone for ${others.join(" and ")}, too.` : "";
  const keep = table.phase === "over" ? " If you want to keep it, save it to a file first." : "";
  const confirmed = async (event) => {
    event.preventDefault();
    try {
      dialog.close();
      await remove();
    } catch (refused) {
      toast(refused.message);
    }
  };
  const dialog = el("dialog", { class: "setup ask", "aria-labelledby": "delete-title", "aria-describedby": "delete-words" },
    el("form", { onsubmit: confirmed },
      el("h2", { id: "delete-title", text: `Delete this game of ${table.title}?` }),
      el("p", { id: "delete-words", text: `${names(table).join(" – ")}. The game is removed from the server for good, and links to it stop working.${loses}${keep}` }),
      el("div", { class: "dialog-actions" },
        button("Cancel", () => dialog.close(), { autofocus: true }), el("button", { type: "submit", class: "danger" }, "Delete"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
