// What several people at one table need: the link to share, open seats, offers, those who have left, a rematch.

import { ask, button, called, copyButton, el, ownName, toast } from "./dom.js";

const SUBSTITUTE = "strong"; // the level of a bot that plays on for somebody
const AWAY = 5; // seconds after which somebody who is not connected has left: a reload takes less

const OFFERS = {
  draw: { ask: "Offer draw", by: (name) => `${name} offers a draw.`, mine: "You have offered a draw." },
  end: {
    ask: "Offer to end", by: (name) => `${name} offers to end the game without a result.`,
    mine: "You have offered to end the game without a result.",
  },
};

export class People {
  constructor(send) {
    this.send = send;
    this.offers = Object.entries(OFFERS).map(([kind, { ask: words }]) =>
      [kind, button(words, () => this.send({ type: "offer", offer: kind }), { hidden: true })]);
    this.buttons = this.offers.map(([, offer]) => offer);
    this.crowd = el("p", { class: "crowd-note", hidden: true });
    this.invitation = el("div", { class: "invitation", hidden: true });
    this.offer = el("div", { class: "notice", hidden: true });
    this.away = el("div", { class: "notice", hidden: true });
    this.bar = el("div", { class: "people" }, this.crowd, this.invitation, this.offer, this.away);
    setInterval(() => this.tick(), 500);
  }

  update(table) {
    this.table = table;
    this.since = performance.now();
    for (const [kind, offer] of this.offers) offer.hidden = !table.can.offer.includes(kind);
    this.showCrowd(table);
    this.showInvitation(table);
    this.showOffer(table);
    this.tick();
  }

  showCrowd({ you, spectators, over, can }) {
    const others = you.length ? spectators : spectators - 1;
    const words = [!you.length && !can.join && !over && "You are watching", others > 0 && `${others} ${you.length ? "" : "more "}watching`];
    this.crowd.textContent = words.filter(Boolean).join(" · ");
    this.crowd.hidden = !this.crowd.textContent;
  }

  /** The link for those who are still wanted; for those who came by it, a seat. */
  showInvitation({ id, phase, can, you }) {
    const kind = phase !== "gathering" ? "" : can.join ? "join" : you.length ? "share" : "";
    this.invitation.hidden = !kind;
    if (kind === this.invitation.dataset.kind) return; // somebody may be typing a name
    this.invitation.dataset.kind = kind;
    this.invitation.replaceChildren(...(kind === "share" ? shareLink() : kind === "join" ? [this.joinForm(id)] : []));
  }

  joinForm(id) {
    const name = el("input", {
      id: "join-name", type: "text", maxlength: 30, autocomplete: "nickname", value: ownName.get(), placeholder: "optional",
    });
    const join = async (event) => {
      event.preventDefault();
      ownName.set(name.value.trim());
      try {
        await ask(`/api/tables/${encodeURIComponent(id)}/seats`, JSON.stringify({ name: name.value }));
      } catch (error) {
        toast(error.message);
      }
    };
    return el("form", { class: "join", onsubmit: join },
      el("label", { for: "join-name" }, el("span", { text: "Your name" }), name),
      el("button", { type: "submit", class: "primary" }, "Take a seat"));
  }

  showOffer({ offer, you }) {
    this.offer.hidden = !offer || !you.length;
    if (this.offer.hidden) return this.offer.replaceChildren();
    const { by, mine } = OFFERS[offer.kind];
    const answer = (agree) => () => this.send({ type: "answer", agree });
    this.offer.replaceChildren(
      el("p", { text: offer.asked ? by(offer.by) : mine }),
      ...(offer.asked ? [button("Accept", answer(true), { class: "primary" }), button("Decline", answer(false))] : []));
    return null;
  }

  /** Those who have left, and when the others can go on without them: that goes on between messages. */
  tick() {
    if (!this.table) return;
    const { seats, you, phase, absence } = this.table;
    const passed = (performance.now() - this.since) / 1000;
    const gone = seats.findIndex(({ absent }, seat) => absent !== null && !you.includes(seat) && absent + passed > AWAY);
    const left = gone < 0 ? 0 : Math.ceil(absence - seats[gone].absent - passed);
    const key = gone < 0 || !you.length || phase !== "playing" ? "" : `${gone} ${left > 0}`;
    this.away.hidden = !key;
    if (key !== this.awayKey) this.away.replaceChildren(...(key ? this.aboutAway(gone, left) : []));
    this.awayKey = key;
    const clock = this.away.querySelector(".countdown");
    if (clock) clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
  }

  aboutAway(seat, left) {
    const name = called(this.table, seat);
    if (left > 0) return [el("p", {}, `${name} has left. You can go on without them in `, el("b", { class: "countdown" }), ".")];
    return [
      el("p", { text: `${name} has left.` }),
      button("Let a bot play on", () => this.send({ type: "seat bot", seat, bot: SUBSTITUTE }), { class: "primary" }),
      button("End the game", () => this.send({ type: "end without", seat })),
    ];
  }
}

function shareLink() {
  const link = el("input", { id: "link", type: "text", readonly: true, value: location.href, onfocus: () => link.select() });
  const copy = copyButton("Copy link", () => link.value, { class: "primary" });
  return [el("label", { for: "link" }, el("span", { text: "Link for the other players" }), link), copy];
}
