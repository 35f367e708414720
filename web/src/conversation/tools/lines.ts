/** The difference between two texts as a unified diff, line by line. What both have in common at their ends is set aside
 * first; a middle that is too long to be compared counts as replaced. */
const CONTEXT = 3;
const MOST = 1_000_000;

type Line = [sign: " " | "-" | "+", text: string];

/** The diff of one file; an empty side is a file that is not there. `start` is the line at which the texts begin. */
export function unified(path: string, before: string | null, after: string | null, start = 1): string {
  const lines = compared(split(before), split(after));
  const hunks = grouped(lines, start);
  if (!hunks) return "";
  const from = before === null ? "/dev/null" : `a/${path}`;
  const to = after === null ? "/dev/null" : `b/${path}`;
  return `diff --git a/${path} b/${path}\n--- ${from}\n+++ ${to}\n${hunks}`;
}

const split = (text: string | null) => (text ? text.replace(/\n$/, "").split("\n") : []);

function compared(a: string[], b: string[]): Line[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const same = (lines: string[]): Line[] => lines.map((line) => [" ", line]);
  return [
    ...same(a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(a.slice(a.length - tail)),
  ];
}

/** The longest common part stays, all else goes or comes. */
function middle(a: string[], b: string[]): Line[] {
  const gone = (lines: string[]): Line[] => lines.map((line) => ["-", line]);
  const come = (lines: string[]): Line[] => lines.map((line) => ["+", line]);
  if (!a.length || !b.length || a.length * b.length > MOST) return [...gone(a), ...come(b)];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const found: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      found.push([" ", a[i] ?? ""]);
      i++;
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) found.push(["-", a[i++] ?? ""]);
    else found.push(["+", b[j++] ?? ""]);
  }
  return [...found, ...gone(a.slice(i)), ...come(b.slice(j))];
}

/** Only what changed, with a few lines around it. */
function grouped(lines: Line[], start: number): string {
  const near = lines.map((_, n) =>
    lines.slice(Math.max(0, n - CONTEXT), n + CONTEXT + 1).some(([sign]) => sign !== " "),
  );
  let [old, now, text] = [start, start, ""];
  for (let n = 0; n < lines.length; ) {
    if (!near[n]) {
      old++;
      now++;
      n++;
      continue;
    }
    let end = n;
    while (end < lines.length && near[end]) end++;
    const hunk = lines.slice(n, end);
    const [fewer, more] = ["+", "-"].map((sign) => hunk.filter((line) => line[0] !== sign).length);
    text += `@@ -${fewer ? old : 0},${fewer} +${more ? now : 0},${more} @@\n`;
    text += hunk.map(([sign, line]) => `${sign}${line}\n`).join("");
    old += fewer ?? 0;
    now += more ?? 0;
    n = end;
  }
  return text;
}
