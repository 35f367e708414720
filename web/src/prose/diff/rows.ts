/** Lines of a hunk as rows: removed lines beside the added ones that take their place, long unchanged runs folded. */
import type { Hunk, Line } from "./parse.js";
import { differing, type Range } from "./words.js";

export interface Marked extends Line {
  marks: Range[];
}
export type Row =
  | { kind: "fold"; lines: Marked[] }
  | { kind: "line"; line: Marked }
  | { kind: "pair"; before: Marked | null; after: Marked | null };

const AROUND = 4;
const FOLDED = 12;

/** One row for each line. */
export function unifiedRows(hunk: Hunk): Row[] {
  return folded(marked(hunk.lines).map((line) => ({ kind: "line", line })));
}

/** Before on the left, after on the right. */
export function splitRows(hunk: Hunk): Row[] {
  const rows: Row[] = [];
  for (const run of runs(marked(hunk.lines))) {
    if (run[0]!.kind === "same" || run[0]!.kind === "word") {
      rows.push(...run.map((line): Row => ({ kind: "line", line })));
      continue;
    }
    const removed = run.filter(({ kind }) => kind === "removed");
    const added = run.filter(({ kind }) => kind === "added");
    for (let n = 0; n < Math.max(removed.length, added.length); n++) {
      rows.push({ kind: "pair", before: removed[n] ?? null, after: added[n] ?? null });
    }
  }
  return folded(rows);
}

/** The lines, with the words marked that differ between a removed line and the added one in its place. */
function marked(lines: Line[]): Marked[] {
  const found: Marked[] = lines.map((line) => ({ ...line, marks: [] }));
  for (const run of runs(found)) {
    const removed = run.filter(({ kind }) => kind === "removed");
    const added = run.filter(({ kind }) => kind === "added");
    for (let n = 0; n < Math.min(removed.length, added.length); n++) {
      const ranges = differing(removed[n]!.text, added[n]!.text);
      if (!ranges) continue;
      removed[n]!.marks = ranges.before;
      added[n]!.marks = ranges.after;
    }
  }
  return found;
}

/** Runs of lines that changed together, and lines that did not. */
function runs(lines: Marked[]): Marked[][] {
  const found: Marked[][] = [];
  let changed = false;
  for (const line of lines) {
    const changes = line.kind === "added" || line.kind === "removed";
    const last = found.at(-1);
    // After an added line a removed one begins a new change.
    const apart = line.kind === "removed" && last?.at(-1)?.kind === "added";
    if (last && changes && changed && !apart) last.push(line);
    else found.push([line]);
    changed = changes;
  }
  return found;
}

function folded(rows: Row[]): Row[] {
  const found: Row[] = [];
  let run: Row[] = [];
  const flush = (last: boolean) => {
    const first = found.length === 0;
    const [head, tail] = [first ? 0 : AROUND, last ? 0 : AROUND];
    if (run.length <= FOLDED) found.push(...run);
    else {
      const lines = run
        .slice(head, run.length - tail)
        .flatMap((row) => (row.kind === "line" ? [row.line] : []));
      found.push(...run.slice(0, head), { kind: "fold", lines }, ...run.slice(run.length - tail));
    }
    run = [];
  };
  for (const row of rows) {
    if (row.kind === "line" && row.line.kind === "same") run.push(row);
    else {
      flush(false);
      found.push(row);
    }
  }
  flush(true);
  return found;
}
