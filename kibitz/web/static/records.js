// Games in files: one record as JSON, or several, one in each line; and games from the logs that the server offers.

import { announce, ask, el, open, toast } from "./dom.js";

const AT_ONCE = 10; // records in one request
const LARGEST = 1_500_000; // characters in one request

/** A button to open a file of records. */
export function recordOpener() {
  const file = el("input", { type: "file", id: "record", class: "unseen", accept: ".json,.jsonl,.txt" });
  const label = el("label", { for: "record", class: "button" }, "Open a record …");
  file.addEventListener("change", async () => {
    label.classList.add("busy");
    try {
      await openFile(await file.files[0].text());
    } catch (error) {
      toast(error.message);
    }
    label.classList.remove("busy");
    file.value = "";
  });
  return el("span", {}, file, label);
}

async function openFile(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  const isOne = lines.length < 2 || !isRecord(lines[0]);
  if (isOne) await open("/api/records", text);
  else await openAll(lines);
}

function isRecord(line) {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}

/** Open every record of a file. If all is well, go and see them; if not, say what is wrong with the first bad one. */
async function openAll(lines) {
  const wrong = [];
  let opened = 0, at = 0;
  while (at < lines.length) {
    const some = batch(lines, at);
    const first = at;
    at += some.length;
    const readable = some.map((line) => (isRecord(line) ? line : "null"));
    const { tables } = await ask("/api/records/batch", `{"records":[${readable.join(",")}]}`);
    tables.forEach(({ id, error }, i) => (id ? (opened += 1) : wrong.push(`game ${first + i + 1}: ${error}`)));
    announce(`${at} of ${lines.length} games`);
  }
  if (!wrong.length) location.href = "/tables?show=mine";
  else throw new Error(`${opened} of ${lines.length} games were opened; the others are not readable, such as ${wrong[0]}`);
}

/** As many lines as one request may have. */
function batch(lines, from) {
  let size = 0;
  const some = lines.slice(from, from + AT_ONCE).filter((line) => (size += line.length) < LARGEST);
  return some.length ? some : [lines[from]];
}

/** The part of the first page where recorded games are opened. */
export function records() {
  const section = el("section", { class: "records" },
    el("h2", { text: "Replay a recorded game" }),
    el("p", {}, recordOpener()));
  ask("/api/logs").then((logs) => section.append(...logs.map(log)), () => {});
  return section;
}

function log({ log: name, game, games, first, last }) {
  const number = el("input", { type: "number", min: first, max: last, value: first, "aria-label": `Game number in ${name}` });
  const start = (event) => {
    event.preventDefault();
    open("/api/records", { log: name, game: Number(number.value) }).catch((error) => toast(error.message));
  };
  return el("form", { class: "log-row", onsubmit: start },
    el("b", { text: name }), el("span", { text: `${game}: ${games.toLocaleString("en")} games, numbers ${first} to ${last}` }), number,
    el("button", { type: "submit" }, "Open"));
}
