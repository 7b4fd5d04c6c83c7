// The rules of a game, lesson by lesson: words, pictures, and tasks to try out on the board.

import { ask, button, coloursOf, el, open, paintSeats, toast } from "./dom.js";
import { Exercise } from "./exercise.js";
import { kept } from "./kept.js";
import { picture } from "./scene.js";
import { usualTable } from "./setup.js";

const solved = kept("kibitz-lessons"); // by game: the titles of the lessons whose tasks are solved

export async function showRules(main, name) {
  const spec = new URLSearchParams(location.search).get("game");
  const variant = spec ? `?game=${encodeURIComponent(spec)}` : "";
  const address = `/api/games/${encodeURIComponent(name)}`;
  const [rules, offer] = await Promise.all([ask(`${address}/rules${variant}`), ask("/api/games")]);
  const game = offer.games.find((other) => other.name === name);
  document.title = `Rules of ${rules.title} · kibitz`;
  paintSeats(coloursOf(offer));
  const start = () => open("/api/tables", usualTable(game)).catch((error) => toast(error.message));
  const progress = el("p", { class: "progress" });
  const tasks = rules.lessons.filter(({ task }) => task);
  const count = () => {
    const done = tasks.filter(({ title }) => isSolved(name, title)).length;
    progress.textContent = done === tasks.length ? `All ${done} tasks solved: you know the rules.` : `${done} of ${tasks.length} tasks solved`;
  };
  if (tasks.length) count();
  const lessons = rules.lessons.map((lesson, place) =>
    section(lesson, `${address}/lessons/${place + 1}${variant}`, name, count));
  main.replaceChildren(
    el("article", { class: "rules" },
      el("header", {}, el("h1", { text: rules.title }), el("p", { text: rules.words }),
        el("div", { class: "actions" }, game && button("Play", start, { class: "primary" }),
          game && el("a", { class: "button", href: `/puzzles/${encodeURIComponent(name)}` }, "Puzzles")),
        tasks.length > 0 && progress),
      lessons.length ? lessons : el("p", { text: "The rules of this game have not been written down yet." })),
  );
}

function isSolved(game, title) {
  return (solved.get()[game] ?? []).includes(title);
}

function section({ title, words, scene, task }, address, game, count) {
  const figure = el("figure", {}, scene && picture(scene, `Illustration: ${title}`));
  const whole = el("section", { class: `lesson${scene || task ? " with-picture" : ""}` });
  whole.append(
    el("div", {}, el("h2", { text: title }), words.split(/\n\s*\n/).map((paragraph) => el("p", { text: paragraph })),
      task && tryOut(title, task, new Exercise(address, whole), game, count, figure)),
    ...(scene || task ? [figure] : []));
  return whole;
}

/** A task: what to do, and a button that puts the board in place of the picture. */
function tryOut(title, words, task, game, count, figure) {
  const box = el("div", { class: "task", "data-solved": String(isSolved(game, title)) });
  const start = button("Try it", async () => {
    start.disabled = true;
    start.textContent = "Setting up …"; // the first time, the rules are compiled
    task.tried = ({ right }) => {
      if (!right) return task.offer(task.again());
      const titles = new Set(solved.get()[game] ?? []).add(title);
      solved.set({ ...solved.get(), [game]: [...titles] });
      box.dataset.solved = true;
      count();
      task.offer(task.again("Once more"));
    };
    try {
      await task.open();
    } catch (error) {
      toast(error.message);
      start.disabled = false;
      start.textContent = "Try it";
      return;
    }
    start.remove();
    figure.replaceChildren(task.board);
    box.append(task.bar);
    task.view?.focus();
  }, { "aria-label": `Try it: ${title}` });
  box.append(el("p", {}, el("b", { class: "sign", text: "Your turn: " }), words), start);
  return box;
}
