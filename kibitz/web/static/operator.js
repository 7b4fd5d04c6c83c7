// For whoever runs the server: this browser shows the operator's secret, in a cookie that scripts cannot read.

import { button, el } from "./dom.js";

const ADDRESS = "/api/operator";
const main = document.getElementById("main");

async function answer(method, body) {
  const headers = body ? { "content-type": "application/json" } : {};
  const response = await fetch(ADDRESS, { method, headers, body: body && JSON.stringify(body) });
  const found = await response.json();
  if (!response.ok) throw new Error(found.error);
  return found.operator;
}

function show(isOperator) {
  main.replaceChildren(el("h1", { text: "Operator of this server" }), ...(isOperator ? signedIn() : signedOut()));
}

function signedIn() {
  return [
    el("p", { text: "This browser has your powers, until it is closed." }),
    el("p", {}, el("a", { href: "/metrics", text: "Metrics" }), " · ", el("a", { href: "/health/ready", text: "Readiness" })),
    button("Sign out", async () => show(await answer("DELETE"))),
  ];
}

function signedOut() {
  const secret = el("input", { id: "secret", type: "password", autocomplete: "off", required: true, maxlength: 200 });
  const error = el("p", { class: "error", role: "alert", hidden: true });
  const form = el("form", {}, el("label", { for: "secret" }, el("span", { text: "The secret that was shown at the start" }), secret), error,
    el("button", { type: "submit", class: "primary", text: "Sign in" }));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      show(await answer("POST", { secret: secret.value }));
    } catch ({ message }) {
      error.textContent = message;
      error.hidden = false;
    }
  });
  return [form];
}

show(await answer("GET"));
