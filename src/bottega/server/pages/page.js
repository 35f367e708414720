// What a plain page does itself: exchange a sign-in link for a cookie, sign out, and see who is signed in already.
"use strict";

const root = document.documentElement.dataset.root;
// The browser sends our cookie to every port of this host; what stands here stays with this address.
const KEPT = `bottega-page:${root}`;
// Whose what the studio keeps here is; `web/src/api/kept.ts` goes by it.
const PERSON = `bottega-person:${root}`;
const LOOKS = ["bottega.theme", "bottega.size", "bottega.density"];

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
  if (document.body.id === "sign-in") exchange(link, false);
  else offer("Sign in?", "A sign-in link was opened. Was that you?", () => exchange(link, false));
}

async function exchange(link, instead) {
  try {
    const answer = await ask("POST", "/api/sign-in", { link, instead });
    const told = await answer.json();
    if (answer.ok) remember(told);
    if (answer.status === 409) {
      offer("Sign in instead?", `${told.detail} ${told.hint}`, () => exchange(link, true));
      return;
    }
    if (answer.ok || (await ask("GET", "/api/me")).ok) {
      location.replace(root + "/");
      return;
    }
    const title = answer.status === 403 ? "This link no longer works" : "That did not work";
    say(title, `${told.detail} ${told.hint}`);
  } catch {
    say("The server does not answer", "See whether it still runs, then open a new link.");
  }
}

/** Do it once somebody has pressed the button. */
function offer(title, text, go) {
  say(title, text);
  const button = document.querySelector("#go-on");
  button.hidden = false;
  button.onclick = () => {
    button.hidden = true;
    go();
  };
}

/** Keep who is signed in; what the studio kept for anybody else goes. */
function remember({ id, page_key }) {
  if (localStorage.getItem(PERSON) !== id) forget();
  localStorage.setItem(PERSON, id);
  localStorage.setItem(KEPT, page_key);
}

/** All that the studio keeps in this browser, but for how it looks. */
function forget() {
  const ours = (name) => name === KEPT || name === PERSON || (name.startsWith("bottega.") && !LOOKS.includes(name));
  for (const each of [localStorage, sessionStorage])
    for (const name of Object.keys(each).filter(ours)) each.removeItem(name);
}

async function signOut() {
  try {
    await ask("POST", "/api/sign-out");
    forget();
  } finally {
    location.replace(root + "/");
  }
}

/** A link on another site brings no cookie: who is signed in all the same sees the studio. */
async function look() {
  if ((await ask("GET", "/api/me")).ok) location.reload();
}

if (document.body.id.startsWith("sign-in")) signIn();
if (document.body.id === "home") look();
const out = document.querySelector("#sign-out");
if (out) {
  out.hidden = false;
  out.addEventListener("click", signOut);
}
