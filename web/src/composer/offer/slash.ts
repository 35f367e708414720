/** What a prompt that begins with a slash means: the words are those of the terminal. Pure. */

/** Whether a command needs words after it: never, if one likes, or always. */
type Takes = "nothing" | "maybe" | "words";

export const COMMANDS: Record<string, Takes> = {
  help: "nothing",
  model: "maybe",
  agent: "maybe",
  mode: "words",
  plan: "nothing",
  compact: "maybe",
  reset: "nothing",
  clear: "nothing",
  fork: "nothing",
  rename: "words",
  export: "maybe",
  new: "nothing",
};
/** Those that are about a session there is. */
export const IN_SESSION = new Set(["compact", "reset", "clear", "fork", "rename", "export"]);

const OTHERWISE: Record<string, string> = {
  "?": "help",
  h: "help",
  models: "model",
  agents: "agent",
  title: "rename",
};
const SHAPE = /^\/([a-zA-Z?]+)(?:\s+([\s\S]*))?$/;

export interface Slash {
  /** One of `COMMANDS`; empty: there is none of that name. */
  name: string;
  argument: string;
  typed: string;
}

/** The command in it; null if it is a prompt, as `/etc/hosts, what is it?` is one. */
export function parse(text: string): Slash | null {
  const found = SHAPE.exec(text.trim());
  if (!found) return null;
  const typed = (found[1] ?? "").toLowerCase();
  const name = OTHERWISE[typed] ?? typed;
  return { name: name in COMMANDS ? name : "", argument: (found[2] ?? "").trim(), typed };
}

/** The command that was perhaps meant. */
export function nearest(typed: string): string {
  const rated = Object.keys(COMMANDS).map((name) => ({ name, far: distance(typed, name) }));
  const best = rated.reduce((a, b) => (b.far < a.far ? b : a));
  return best.far <= Math.max(1, Math.floor(best.name.length / 2)) ? best.name : "";
}

/** How many letters differ (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (const [i, letter] of [...a.slice(0, 40)].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(Math.min((row[j] ?? 0) + Number(letter !== b[j]), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    row = next;
  }
  return row[b.length] ?? 0;
}
