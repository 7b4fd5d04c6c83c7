// Shows the page that the address asks for, and the button that switches between light and dark.

import { el } from "./dom.js";
import { showHome } from "./home.js";
import { showLadders } from "./ladders.js";
import { showPuzzle, showPuzzles } from "./puzzles.js";
import { showRules } from "./rules.js";
import { showStudy } from "./study.js";
import { showTable } from "./table.js";
import { showTables } from "./tables.js";
import { showTournament } from "./tournament.js";
import { showTournaments } from "./tournaments.js";

const THEMES = { "": "Same as the system", light: "Light", dark: "Dark" };
const SIGNS = { "": "◐", light: "☀", dark: "☾" };

function themeButton() {
  const toggle = document.getElementById("theme");
  const root = document.documentElement;
  const show = () => {
    const theme = root.dataset.theme ?? "";
    toggle.replaceChildren(el("span", { "aria-hidden": "true", text: SIGNS[theme] }));
    toggle.setAttribute("aria-label", `Theme: ${THEMES[theme]}`);
    toggle.title = THEMES[theme];
  };
  toggle.addEventListener("click", () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const round = dark ? ["", "light", "dark"] : ["", "dark", "light"];
    const next = round[(round.indexOf(root.dataset.theme ?? "") + 1) % round.length];
    if (next) root.dataset.theme = next;
    else delete root.dataset.theme;
    localStorage.setItem("kibitz-theme", next);
    show();
  });
  show();
}

async function route() {
  const main = document.getElementById("main");
  const [, page, id] = location.pathname.split("/").map(decodeURIComponent);
  try {
    if (!page) await showHome(main);
    else if (page === "table" && id) await showTable(main, id);
    else if (page === "tables") await showTables(main);
    else if (page === "rules" && id) await showRules(main, id);
    else if (page === "puzzles" && id) await showPuzzle(main, id);
    else if (page === "puzzles") await showPuzzles(main);
    else if (page === "tournaments") await showTournaments(main);
    else if (page === "tournament" && id) await showTournament(main, id);
    else if (page === "ladders") await showLadders(main);
    else if (page === "analyse") await showStudy(main);
    else throw new Error("This page does not exist.");
  } catch (error) {
    document.title = "kibitz";
    main.replaceChildren(
      el("section", { class: "lost" }, el("h1", { text: "Not found" }), el("p", { text: error.message }),
        el("a", { class: "primary", href: "/" }, "All games")),
    );
  }
}

themeButton();
route();
