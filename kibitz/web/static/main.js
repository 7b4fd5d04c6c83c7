// Which page this is, and what all of them share: the trail at the top and light or dark.

import { el } from "./dom.js";
import { showHome } from "./home.js";
import { showRules } from "./rules.js";
import { showTable } from "./table.js";

const THEMES = { "": "Light or dark as the system has it", light: "Light", dark: "Dark" };
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
    else if (page === "rules" && id) await showRules(main, id);
    else throw new Error("There is no such page.");
  } catch (error) {
    document.title = "kibitz";
    main.replaceChildren(
      el("section", { class: "lost" }, el("h1", { text: "There is nothing here" }), el("p", { text: error.message }),
        el("a", { class: "primary", href: "/" }, "All games")),
    );
  }
}

themeButton();
route();
