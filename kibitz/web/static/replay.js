// Going through a game: a slider over its moves, and while bots play among themselves or once it is over, a player
// with pause, step and speed.

import { button, el, svg } from "./dom.js";

const SIGNS = {
  first: "M5 5v14M19 5l-11 7 11 7z", back: "M16 5l-11 7 11 7z",
  forward: "M8 5l11 7-11 7z", last: "M19 5v14M5 5l11 7-11 7z",
  play: "M7 4l13 8-13 8z", pause: "M8 5v14M16 5v14",
};
const SPEEDS = [0.5, 1, 2, 4];
const LATEST = null; // in place of a ply: follow the game as it goes on
const BEAT = 900; // milliseconds per move when a finished game is played again at speed 1

export class Replay {
  constructor(send) {
    this.send = send;
    this.isHeld = false; // while a summary is read, a game that is played again waits
    this.first = this.key("first", "Go to the start", () => this.show(0));
    this.back = this.key("back", "Previous move", () => this.show(this.ply - 1));
    this.playing = this.key("play", "Play", () => this.toggle());
    this.forward = this.key("forward", "Next move", () => this.step());
    this.last = this.key("last", "Go to the latest move", () => this.show(this.plies));
    this.playing.classList.add("play");
    this.slider = el("input", {
      type: "range", min: 0, step: 1, "aria-label": "Move", oninput: () => this.show(Number(this.slider.value)),
    });
    this.place = el("output", { class: "place" });
    this.speed = el("select", { "aria-label": "Speed", onchange: () => this.setSpeed() },
      SPEEDS.map((speed) => el("option", { value: speed, selected: speed === 1 }, `${speed} ×`)));
    this.bar = el("div", { class: "replay", role: "group", "aria-label": "Game navigation" },
      this.first, this.back, this.playing, this.forward, this.last, this.slider, this.place, this.speed);
    document.addEventListener("keydown", (event) => this.arrow(event));
  }

  key(sign, label, onclick) {
    return button(icon(sign), onclick, { class: "key", "aria-label": label, title: label });
  }

  update({ ply, plies, over, can, paused, speed }) {
    const asked = this.asked === LATEST ? plies : this.asked;
    if (asked === ply) this.asked = undefined;
    this.ply = this.asked === undefined ? ply : Math.min(asked, plies); // on the way to another position, count from there
    this.plies = plies;
    this.watching = Boolean(can.pause) && !over;
    this.over = over;
    this.paused = paused;
    this.slider.max = plies;
    this.slider.value = this.ply;
    this.slider.disabled = plies === 0;
    this.slider.setAttribute("aria-valuetext", `after move ${ply} of ${plies}`);
    this.place.textContent = `${ply} / ${plies}`;
    this.first.disabled = this.back.disabled = this.ply === 0;
    this.last.disabled = this.ply === plies;
    this.forward.disabled = this.ply === plies && !(this.watching && paused);
    if (this.watching && SPEEDS.includes(speed)) this.speed.value = speed;
    this.playing.hidden = this.speed.hidden = !this.watching && !over;
    if (ply === plies && over) this.stop();
    this.showPlaying();
  }

  showPlaying() {
    const runs = this.watching ? !this.paused : Boolean(this.timer);
    this.playing.replaceChildren(icon(runs ? "pause" : "play"));
    this.playing.setAttribute("aria-label", runs ? "Pause" : "Play");
    this.playing.title = runs ? "Pause" : "Play";
  }

  show(ply) {
    const wanted = Math.max(0, Math.min(this.plies, ply));
    if (wanted === this.ply) return;
    this.ply = wanted; // quick steps count from here, before the server answers
    this.asked = wanted === this.plies ? LATEST : wanted;
    this.send({ type: "show", ply: this.asked });
  }

  step() {
    if (this.ply < this.plies) this.show(this.ply + 1);
    else if (this.watching) this.send({ type: "step" });
  }

  toggle() {
    if (this.watching) {
      this.send({ type: "pause", on: !this.paused });
      this.show(this.plies);
    } else if (this.timer) {
      this.stop();
    } else {
      if (this.ply === this.plies) this.show(0);
      this.start();
    }
    this.showPlaying();
  }

  start() {
    this.timer = setInterval(() => this.isHeld || this.show(this.ply + 1), BEAT / Number(this.speed.value));
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
  }

  setSpeed() {
    if (this.watching) this.send({ type: "speed", speed: Number(this.speed.value) });
    if (!this.timer) return;
    this.stop();
    this.start();
  }

  arrow(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, [role=tablist], dialog")) return;
    if (event.key === "ArrowLeft") this.show(this.ply - 1);
    if (event.key === "ArrowRight") this.step();
  }
}

function icon(sign) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: SIGNS[sign] }));
}
