// Panels of which one is shown: a list of tabs as screen readers and the keyboard know it.

import { button, el } from "./dom.js";

export class Tabs {
  constructor(panels) {
    this.titles = Object.keys(panels);
    this.onopen = () => {};
    this.tabs = this.titles.map((title) =>
      button(title, () => this.open(title), { role: "tab", id: `tab-${title}`, "aria-controls": `panel-${title}` }));
    this.panels = this.titles.map((title) =>
      el("div", { role: "tabpanel", id: `panel-${title}`, "aria-labelledby": `tab-${title}`, tabindex: 0 },
        panels[title]));
    const onkeydown = (event) => this.key(event);
    const list = el("div", { role: "tablist", "aria-label": "Panels", onkeydown }, this.tabs);
    this.panel = el("section", { class: "tabs", "aria-label": "Panels" }, list, this.panels);
    this.show(this.titles[0]);
  }

  open(title) {
    if (title === this.title) return;
    this.show(title);
    this.onopen(title);
  }

  show(title) {
    this.title = title;
    this.titles.forEach((other, i) => {
      this.tabs[i].setAttribute("aria-selected", other === title);
      this.tabs[i].tabIndex = other === title ? 0 : -1;
      this.panels[i].hidden = other !== title;
    });
  }

  key(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const place = (this.titles.indexOf(this.title) + step + this.titles.length) % this.titles.length;
    this.open(this.titles[place]);
    this.tabs[place].focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
