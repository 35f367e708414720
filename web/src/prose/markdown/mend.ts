/** The end of a text that is still being written, so that nothing flashes: what was opened is closed, and what cannot be
 * told yet (half a link, half a table, a lone marker) is held back until it can. */

/** Held back no longer than this: then it is taken for what it looks like. */
const LONGEST = 240;

const LONGEST_FORMULA = 2_000;
/** Nor is a run of inline text that is longer than any paragraph. */
const LONGEST_RUN = 8_000;

export function mended(text: string): string {
  const begin = runStart(text);
  if (begin === null) return text;
  const head = text.slice(0, begin);
  const run = text.slice(begin);
  if (run.length > LONGEST_RUN) return text;
  return table(head, run) ?? head + inline(withoutMarker(run));
}

/** Where the last run of inline text begins; null inside code. */
function runStart(text: string): number | null {
  let open: string | null = null;
  let start = 0;
  let at = 0;
  const lines = text.split("\n");
  // The end of a line is not yet an empty one.
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    const fence = /^\s*(?:[-*+>]\s+|\d+[.)]\s+)*(`{3,}|~{3,})/.exec(line);
    if (open) {
      if (fence && fence[1]!.startsWith(open) && /^\s*[`~]+\s*$/.test(line)) open = null;
      start = at + line.length + 1;
    } else if (fence && !(fence[1]![0] === "`" && line.slice(fence[0].length).includes("`"))) {
      open = fence[1]!;
    } else if (!line.trim()) {
      start = at + line.length + 1;
    } else if (/^\s*(?:[-*+>]|\d+[.)]|#{1,6})\s/.test(line)) start = at;
    at += line.length + 1;
  }
  // A line that may become a fence is not one yet; and a fence without its line's end has no name yet.
  if (open && !/(^|\n)[^\n]*(`{3,}|~{3,})[^\n]*$/.test(text)) return null;
  return Math.min(start, text.length);
}

/** A last line that is only the beginning of a list, a heading, a quote, a fence or a rule. */
function withoutMarker(run: string): string {
  return run.replace(
    /(^|\n)[ \t]*(?:(?:[-*+>]|\d{1,9}[.)])[ \t]+)*(?:[-+*=#>_]+|\[[ xX]?\]?|\d{1,9}[.)]?|`{1,2}|(?:`{3,}|~{3,})[^\n`]*)[ \t]*$/,
    "$1",
  );
}

/** A table is one from its first row on. */
function table(head: string, run: string): string | null {
  const lines = run.split("\n");
  const at = lines.findIndex((line) => /^\s*\|/.test(line));
  if (at === -1) return null;
  const before =
    head +
    lines
      .slice(0, at)
      .map((line) => `${line}\n`)
      .join("");
  const rows = lines.slice(at);
  if (rows.length === 1) return before;
  if (rows.length === 2 && /^[\s|:-]*$/.test(rows[1]!)) {
    const cells = rows[0]!
      .trim()
      .replace(/^\||\|$/g, "")
      .split(/(?<!\\)\|/).length;
    const given = rows[1]!.split("|").filter((cell) => /^\s*:?-+:?\s*$/.test(cell)).length;
    return given === cells ? null : `${before}${rows[0]}\n|${" - |".repeat(cells)}`;
  }
  const last = rows.pop()!;
  return `${before}${rows.map((row) => `${row}\n`).join("")}${inline(last)}`;
}

/** Hold back what is half, close what is open. */
function inline(run: string): string {
  const open: string[] = [];
  const closeAll = (end: number) => {
    let text = run.slice(0, end);
    // A closing mark needs something before it.
    const bare = /(?:^|[\s([{])([*_~]+)$/.exec(text);
    if (bare) {
      text = text.slice(0, -bare[1]!.length);
      for (let left = bare[1]!.length; left > 0 && open.length; ) left -= open.pop()!.length;
    }
    return open.length ? text.trimEnd() + open.reverse().join("") : text;
  };
  for (let at = 0; at < run.length; ) {
    const rest = run.slice(at);
    const step = stepOf(rest, run[at - 1] ?? " ", open);
    if (step.hold && run.length - at <= (step.most ?? LONGEST)) return closeAll(at);
    if (step.code) return `${run.replace(/`+$/, "") || run}${step.code}${open.reverse().join("")}`;
    at += step.length;
  }
  return closeAll(run.length);
}

interface Step {
  length: number;
  hold?: boolean;
  most?: number;
  code?: string;
}

/** One step through inline text; what it opens and closes is noted in `open`. */
function stepOf(rest: string, before: string, open: string[]): Step {
  const first = rest[0]!;
  if (first === "\\") return backslash(rest);
  if (first === "`") return ticks(rest);
  if (first === "[" || (first === "!" && (rest === "!" || rest[1] === "["))) return bracket(rest);
  if (first === "$") return dollar(rest);
  if (first === "<")
    return { length: 1, hold: /^<(?:https?:[^\s>]*|mailto:[^\s>]*|h|ht|htt|http|https)?$/.test(rest) };
  if (first === "&") return { length: 1, hold: /^&#?\w{0,8}$/.test(rest) };
  if (first === "*" || first === "_" || first === "~") return mark(rest, before, open);
  return { length: /^[^\\`[!$<&*_~]+/.exec(rest)?.[0].length ?? 1 };
}

function backslash(rest: string): Step {
  if (rest.length === 1) return { length: 1, hold: true };
  if (rest[1] !== "(" && rest[1] !== "[") return { length: 2 };
  const end = rest.slice(0, LONGEST_FORMULA).indexOf(rest[1] === "(" ? "\\)" : "\\]");
  return end === -1 ? { length: 2, hold: true, most: LONGEST_FORMULA } : { length: end + 2 };
}

function ticks(rest: string): Step {
  const run = /^`+/.exec(rest)![0];
  if (run === rest) return { length: run.length, hold: true };
  const close = new RegExp(`(?<!\`)\`{${run.length}}(?!\`)`).exec(rest.slice(run.length));
  if (close) return { length: run.length * 2 + close.index };
  return { length: rest.length, code: run };
}

function bracket(rest: string): Step {
  const image = rest[0] === "!";
  const from = image ? 2 : 1;
  const end = closing(rest, from, "[", "]");
  if (end === -1) return { length: from, hold: true };
  if (end === rest.length - 1) return { length: from, hold: true };
  if (rest[end + 1] === "(") {
    const target = closing(rest, end + 2, "(", ")");
    if (target === -1) return { length: from, hold: true };
    return { length: image ? target + 1 : from };
  }
  return { length: from };
}

/** Where a bracket ends that was opened before `from`; looked for only as far as something may be held back. */
function closing(text: string, from: number, opens: string, closes: string): number {
  let depth = 1;
  for (let at = from; at < Math.min(text.length, from + LONGEST * 4); at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === opens) depth++;
    else if (text[at] === closes && --depth === 0) return at;
  }
  return -1;
}

function dollar(rest: string): Step {
  if (rest === "$" || rest === "$$") return { length: rest.length, hold: true };
  const wide = rest.startsWith("$$");
  const from = wide ? 2 : 1;
  const end = rest.indexOf(wide ? "$$" : "$", from);
  if (end !== -1) return { length: end + from };
  if (wide) return { length: from, hold: true, most: LONGEST_FORMULA };
  return { length: from, hold: !/^\$[\s\d]/.test(rest) && !rest.includes("\n") };
}

function mark(rest: string, before: string, open: string[]): Step {
  const run = /^(\*{1,3}|_{1,3}|~{1,2})/.exec(rest)![0];
  if (run === rest) {
    // The last thing said: it closes what is open, or is not known yet.
    return { length: run.length, hold: true };
  }
  const after = rest[run.length]!;
  const opens = !/\s/.test(after) && (run[0] !== "_" || !/\w/.test(before));
  const closes = !/\s/.test(before);
  const at = open.lastIndexOf(run);
  if (closes && at !== -1) open.length = at;
  else if (opens && run !== "~") open.push(run);
  return { length: run.length };
}
