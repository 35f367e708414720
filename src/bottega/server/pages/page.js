// What a plain page does itself: exchange a sign-in link for a cookie, sign out, and see who is signed in already.
"use strict";

const root = document.documentElement.dataset.root;
// The browser sends our cookie to every port of this host; what stands here stays with this address.
const KEPT = `bottega-page:${root}`;

function say(title, text) {
  document.querySelector("h1").textContent = title;
  const code = (part, n) => {
    if (n % 2 === 0) return part;
    return Object.assign(document.createElement("code"), { textContent: part });
  };
  document.querySelector("#said").replaceChildren(...text.split("`").map(code));
}

async function ask(method, path, body) {
  const options = { method, headers: {} };
  const key = localStorage.getItem(KEPT);
  if (key) options.headers["x-bottega-page"] = key;
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  return fetch(root + path, options);
}

async function signIn() {
  const link = location.hash.slice(1);
  history.replaceState(null, "", location.pathname); // gone from the bar, the history and the next reader's eyes
  if (!link) {
    say("No link", "This address signs you in only with what stands behind its #. Open the whole link.");
    return;
  }
  try {
    const answer = await ask("POST", "/api/sign-in", { link });
    if (answer.ok) localStorage.setItem(KEPT, (await answer.json()).page_key);
    if (answer.ok || (await ask("GET", "/api/me")).ok) {
      location.replace(root + "/");
      return;
    }
    const problem = await answer.json();
    const title = answer.status === 403 ? "This link no longer works" : "That did not work";
    say(title, `${problem.detail} ${problem.hint}`);
  } catch {
    say("The server does not answer", "See whether it still runs, then open a new link.");
  }
}

async function signOut() {
  try {
    await ask("POST", "/api/sign-out");
    localStorage.removeItem(KEPT);
  } finally {
    location.replace(root + "/");
  }
}

/** A link on another site brings no cookie: who is signed in all the same sees the studio. */
async function look() {
  if ((await ask("GET", "/api/me")).ok) location.reload();
}

if (document.body.id === "sign-in") signIn();
if (document.body.id === "home") look();
const out = document.querySelector("#sign-out");
if (out) {
  out.hidden = false;
  out.addEventListener("click", signOut);
}
