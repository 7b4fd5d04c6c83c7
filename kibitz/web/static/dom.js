// Making elements, and the few things that every page shares.

const SVG = "http://www.w3.org/2000/svg";

/** An element: attributes, listeners (`onclick`), `class`, `text`; children are elements or strings. */
export function el(tag, attributes = {}, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A button with a word on it. */
export function button(words, onclick, attributes = {}) {
  return el("button", { type: "button", onclick, ...attributes }, words);
}

/** The spot of a player's colour; `seat` picks the colour by class. */
export function spot(seat) {
  return el("span", { class: `spot ${seat >= 0 ? `seat-${seat}` : "chance"}`, "aria-hidden": "true" });
}

/** Words for those who listen rather than look. */
export function unseen(words) {
  return el("span", { class: "unseen", text: words });
}

/** Listeners that call `on` while the pointer or the focus is on something, then `off`. */
export function whileLookedAt(on, off) {
  return { onpointerenter: on, onpointerleave: off, onfocus: on, onblur: off };
}

/** What a player is called: oneself "You", and others by their seats where several have the same name. */
export function called({ seats, you = [] }, player) {
  if (you.length === 1 && you[0] === player) return "You";
  const { name, title } = seats[player];
  const alike = seats.filter((seat) => seat.name === name).length > 1 && !seats[player].open;
  return alike && title ? capital(title) : name;
}

/** The same words with a capital at the beginning, unless they begin with coordinates, such as c3. */
export function capital(words) {
  return /^.\d/.test(words) ? words : words.charAt(0).toUpperCase() + words.slice(1);
}

/** Say something to those who listen rather than look. */
export function announce(words) {
  const announcer = document.getElementById("announcer");
  announcer.textContent = "";
  requestAnimationFrame(() => (announcer.textContent = words));
}

/** A sentence that goes away by itself. */
export function toast(words) {
  const note = el("p", { class: "toast", text: words });
  document.getElementById("toasts").append(note);
  setTimeout(() => note.remove(), 6000);
}

/** A button that copies a text, and says so. */
export function copyButton(words, text, attributes = {}) {
  const pressed = button(words, async () => {
    await copy(text());
    pressed.textContent = "Copied";
    announce("Copied");
    setTimeout(() => (pressed.textContent = words), 2000);
  }, attributes);
  return pressed;
}

async function copy(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text).catch(() => {});
  } else { // without https there is no other way
    const field = el("textarea", { class: "unseen" }, text);
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

/** What the server answers, or an Error with its sentence. */
export async function ask(path, body, method = body === undefined ? "GET" : "POST") {
  const sent = { method, body, headers: body === undefined ? {} : { "Content-Type": "application/json" } };
  let answer;
  try {
    answer = await fetch(path, sent);
  } catch {
    throw new Error("The server is not responding. Is it still running?");
  }
  const words = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(words.error ?? `The server responded with status ${answer.status}.`);
  return words;
}

/** The players' colours, each by day and by night, as custom properties that scenes and spots paint with. */
export function paintSeats(colours) {
  colours.forEach(([day, night], seat) => {
    document.documentElement.style.setProperty(`--seat-${seat}`, `light-dark(${day}, ${night})`);
  });
}

/** The palette of a message: each colour by day, by night and, if they are told, by name. */
export function coloursOf({ palette = [], palette_night: night = palette, palette_names: names = [] }) {
  return palette.map((day, colour) => [day, night[colour], names[colour]]);
}

/** Start a game and go to its table. A cookie, which scripts cannot read, says that its seats are ours. */
export async function open(path, body) {
  const table = await ask(path, typeof body === "string" ? body : JSON.stringify(body));
  location.href = `/table/${table.id}`;
}

/** The name that somebody gave last, and how to keep another one. */
export const ownName = {
  get: () => localStorage.getItem("kibitz-name") ?? "",
  set: (name) => localStorage.setItem("kibitz-name", name),
};

export const calm = matchMedia("(prefers-reduced-motion: reduce)");
