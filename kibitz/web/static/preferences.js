// What somebody prefers, kept by the browser: a panel with a few choices, and what follows from them.

import { el } from "./dom.js";

const STORE = "kibitz-preferences";
const CHOICES = {
  forced: { words: "Play forced moves for me", more: "When there is only one legal move, it is made after a moment.", usual: true },
  confirm: { words: "Confirm every move", more: "A move is shown first, and made when you say so.", usual: false },
  hold: { words: "Hold at the end of a round", more: "A summary stays until you continue; otherwise, it goes away by itself.", usual: true },
  sound: { words: "Sound", more: "A soft click for every move, and a chime when it is your turn.", usual: false },
  vibration: { words: "Vibration", more: "A short buzz when it is your turn, on devices that can.", usual: false },
};
const SPEEDS = { slow: ["Slow", 0.6], usual: ["Normal", 1], fast: ["Fast", 2], none: ["None", Infinity] };

class Preferences {
  constructor() {
    try {
      this.kept = JSON.parse(localStorage.getItem(STORE)) ?? {};
    } catch {
      this.kept = {};
    }
  }

  get(name) {
    return this.kept[name] ?? CHOICES[name].usual;
  }

  /** How fast pieces move, as a factor. */
  get speed() {
    return (SPEEDS[this.kept.speed] ?? SPEEDS.usual)[1];
  }

  set(name, value) {
    this.kept[name] = value;
    localStorage.setItem(STORE, JSON.stringify(this.kept));
  }

  panel() {
    const rows = Object.entries(CHOICES).map(([name, { words, more }]) =>
      el("label", { class: "preference" },
        el("input", { type: "checkbox", checked: this.get(name), onchange: (event) => this.set(name, event.target.checked) }),
        el("span", {}, el("b", { text: words }), el("small", { text: more }))));
    const speeds = Object.entries(SPEEDS).map(([name, [words]]) =>
      el("option", { value: name, selected: name === (this.kept.speed ?? "usual") }, words));
    return el("div", { class: "preferences" }, rows,
      el("label", { class: "preference" }, el("b", { text: "Animations" }),
        el("select", { onchange: (event) => this.set("speed", event.target.value) }, speeds)));
  }

  /** A move has arrived; `mine`: now it is this person's turn. */
  signal(mine) {
    if (this.get("sound")) play(mine ? [660, 880] : [440]);
    if (mine && this.get("vibration")) navigator.vibrate?.(40);
  }
}

let audio;

/** Short soft tones, one after the other. */
function play(tones) {
  audio ??= new AudioContext();
  tones.forEach((tone, i) => {
    const start = audio.currentTime + 0.09 * i;
    const voice = new OscillatorNode(audio, { frequency: tone, type: "triangle" });
    const volume = new GainNode(audio, { gain: 0.12 });
    volume.gain.setValueAtTime(0.12, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.14);
    voice.connect(volume).connect(audio.destination);
    voice.start(start);
    voice.stop(start + 0.15);
  });
}

export const preferences = new Preferences();
