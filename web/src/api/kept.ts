/**
 * What this browser keeps, and whose it is: the one place that touches its storage.
 *
 * Every value is kept under the id of who is signed in, and goes when they sign out or somebody else signs in
 * (`pages/page.js` does that); only how the page looks is the browser's own. What is kept before it is known
 * whose it is waits in the page for that; a browser that keeps nothing only forgets.
 */

export type Where = "browser" | "window";

const PREFIX = "bottega.";
const LOOKS = ["theme", "size", "density"].map((name) => PREFIX + name);

/** Where this server's pages are, without the last slash; nothing outside of a browser. */
export const ROOT =
  typeof document === "undefined" ? "" : new URL(document.baseURI).pathname.replace(/(^|\/)[^/]*$/, "");

const KEY = `bottega-page:${ROOT}`;
const PERSON = `bottega-person:${ROOT}`;

function storage(where: Where): Storage | null {
  try {
    return where === "window" ? sessionStorage : localStorage;
  } catch {
    return null; // forbidden, or no browser
  }
}

const word = (name: string) => storage("browser")?.getItem(name) ?? "";

/** Who this page is for, as long as it lives, whoever signs in beside it. */
let person = word(PERSON);
/** What waits, by where it goes and its name. */
const early = new Map<string, [name: string, text: string | undefined, where: Where]>();

/** What a value is kept under; empty: it is not. */
function placeOf(name: string): string {
  if (LOOKS.includes(PREFIX + name)) return PREFIX + name;
  return person && word(PERSON) === person ? `${PREFIX}${person}.${name}` : "";
}

export function keptText(name: string, where: Where = "browser"): string | null {
  const waits = early.get(`${where} ${name}`);
  if (waits) return waits[1] ?? null;
  const place = placeOf(name);
  return place ? (storage(where)?.getItem(place) ?? null) : null;
}

export function keepText(name: string, text: string | undefined, where: Where = "browser"): void {
  const place = placeOf(name);
  if (!place && !person) early.set(`${where} ${name}`, [name, text, where]);
  if (!place) return;
  try {
    if (text === undefined) storage(where)?.removeItem(place);
    else storage(where)?.setItem(place, text);
  } catch {
    // Full: the page works without.
  }
}

export function kept<T>(name: string, otherwise: T, where: Where = "browser"): T {
  try {
    const text = keptText(name, where);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

export function keep(name: string, value: unknown, where: Where = "browser"): void {
  keepText(name, value === undefined ? undefined : JSON.stringify(value), where);
}

/** The proof that a request comes from a page of this server; empty: nobody is signed in, or a program has its token. */
export const pageKey = () => word(KEY);

/** The proof is good no longer. */
export const dropPageKey = () => storage("browser")?.removeItem(KEY);

/** Whether this page is still for whoever is signed in. */
export const isCurrent = () => pageKey() !== "" && (!person || word(PERSON) === person);

/** Told who is signed in: what is kept of anybody else goes. False: this page was another person's. */
export function ownedBy(id: string): boolean {
  if (person === id) return true;
  const known = pageKey();
  const was = person;
  if (word(PERSON) !== id) {
    forget();
    if (known) storage("browser")?.setItem(KEY, known);
    storage("browser")?.setItem(PERSON, id);
  }
  if (was) return false;
  person = id;
  const waiting = [...early.values()];
  early.clear();
  for (const each of waiting) keepText(...each);
  return true;
}

/** How the page looks, to be kept whatever else goes. */
export function looks(): [string, string][] {
  return LOOKS.flatMap((name) => (word(name) ? [[name, word(name)]] : []));
}

/** Leave nothing of the person behind, and tell the other pages of this browser. */
export function forget(and: [string, string][] = looks()): void {
  const ours = (name: string) => name.startsWith(PREFIX) || name === KEY || name === PERSON;
  // Told even where the server's answer has cleared all: a page hears of what is taken, not of what is not there.
  storage("browser")?.setItem(KEY, "");
  for (const each of [storage("browser"), storage("window")])
    for (const name of Object.keys(each ?? {}).filter(ours)) each?.removeItem(name);
  for (const [name, text] of and) storage("browser")?.setItem(name, text);
}
