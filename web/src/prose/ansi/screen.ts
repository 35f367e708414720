/** Output as a terminal would show it: lines that grow, are written over and are erased. What it can't do (other
 * escapes) it drops. A row is a new object only when it changed. */
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: these are what it reads
import { PLAIN, type Style, styled } from "./style.js";

export interface Run {
  text: string;
  style: Style;
}
export interface Row {
  runs: Run[];
  length: number;
}

const EMPTY: Row = { runs: [], length: 0 };
/** A jump to the right goes no farther: nobody's terminal is wider. */
const WIDEST = 1_000;
const TAB = 8;

const PART =
  /\x1b\[([0-9:;<=>?]*)[ -/]*([@-~])|\x1b\]([^\x07\x1b\x9c]*)(?:\x07|\x1b\\|\x9c)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-Z\\`-~]|[\n\r\b\t]|[^\x00-\x1f\x7f-\x9f]+|[\s\S]/y;
const HALF = /\x1b(?:\[[0-9:;<=>?]*[ -/]*|\][^\x07\x1b]*\x1b?|[PX^_][^\x1b]*\x1b?|[ -/]*)?$/;
/** Half an escape is waited for no longer than this. */
const LONGEST = 4_096;

export class Screen {
  rows: Row[] = [EMPTY];
  #row = 0;
  #column = 0;
  #style: Style = PLAIN;
  #half = "";

  write(more: string): void {
    const text = this.#half + more;
    const half = HALF.exec(text.length > LONGEST ? text.slice(-LONGEST) : text)?.[0] ?? "";
    const end = text.length - half.length;
    this.#half = half;
    PART.lastIndex = 0;
    while (PART.lastIndex < end) {
      const found = PART.exec(text);
      if (!found) break;
      const [whole, parameters, final, command] = found;
      if (final !== undefined) this.#control(parameters!, final);
      else if (command !== undefined) this.#command(command);
      else if (whole >= " ") this.#put(whole);
      else this.#move(whole);
    }
  }

  /** A control character; those that are not known here do nothing. */
  #move(character: string): void {
    if (character === "\n") {
      this.#row++;
      this.#column = 0;
      if (this.#row === this.rows.length) this.rows.push(EMPTY);
    } else if (character === "\r") this.#column = 0;
    else if (character === "\b") this.#column = Math.max(0, this.#column - 1);
    else if (character === "\t") {
      const next = (Math.floor(this.#column / TAB) + 1) * TAB;
      if (this.#column < this.#now.length) this.#column = Math.min(next, this.#now.length);
      else this.#put(" ".repeat(next - this.#column));
    }
  }

  #control(parameters: string, final: string): void {
    if (final === "m" && /^[\d:;]*$/.test(parameters)) {
      this.#style = styled(this.#style, parameters);
      return;
    }
    const n = Number.parseInt(parameters, 10) || 0;
    const by = Math.max(1, n);
    if (final === "K") this.#erase(n);
    else if (final === "A" || final === "F") this.#row = Math.max(0, this.#row - by);
    else if (final === "B" || final === "E") this.#row = Math.min(this.rows.length - 1, this.#row + by);
    else if (final === "C") this.#column = Math.min(this.#column + by, Math.max(WIDEST, this.#column));
    else if (final === "D") this.#column = Math.max(0, this.#column - by);
    else if (final === "G") this.#column = Math.min(by - 1, WIDEST);
    else if (final === "J" && n === 0) {
      this.#erase(0);
      this.rows.length = this.#row + 1;
    }
    if (final === "E" || final === "F") this.#column = 0;
  }

  /** OSC: only links (8) are known. */
  #command(command: string): void {
    const link = /^8;[^;]*;(.*)$/.exec(command);
    if (link) this.#style = { ...this.#style, link: link[1] || undefined };
  }

  get #now(): Row {
    return this.rows[this.#row]!;
  }

  #put(text: string): void {
    const row = this.#now;
    if (this.#column === row.length) {
      const runs = row.length
        ? joined(row.runs, [{ text, style: this.#style }])
        : [{ text, style: this.#style }];
      this.rows[this.#row] = { runs, length: row.length + text.length };
      this.#column += text.length;
      return;
    }
    const gap = this.#column - row.length;
    const before =
      gap > 0 ? joined(row.runs, [{ text: " ".repeat(gap), style: PLAIN }]) : cut(row.runs, 0, this.#column);
    const behind = cut(row.runs, this.#column + text.length, row.length);
    const runs = joined(before, [{ text, style: this.#style }], behind);
    this.rows[this.#row] = { runs, length: Math.max(row.length, this.#column + text.length) };
    this.#column += text.length;
  }

  /** 0: to the end of the line, 1: from its beginning, 2: all of it. */
  #erase(what: number): void {
    const row = this.#now;
    const kept =
      what === 0
        ? cut(row.runs, 0, this.#column)
        : what === 1
          ? joined(
              [{ text: " ".repeat(Math.min(this.#column, row.length)), style: PLAIN }],
              cut(row.runs, this.#column, row.length),
            )
          : [];
    this.rows[this.#row] = { runs: kept, length: kept.reduce((sum, { text }) => sum + text.length, 0) };
  }
}

/** The runs between two columns. */
export function cut(runs: Run[], from: number, to: number): Run[] {
  const found: Run[] = [];
  let at = 0;
  for (const { text, style } of runs) {
    if (at >= to) break;
    const part = text.slice(Math.max(0, from - at), to - at);
    if (part && at + text.length > from) found.push({ text: part, style });
    at += text.length;
  }
  return found;
}

/** Runs behind one another; neighbours of one style are one. */
function joined(...parts: Run[][]): Run[] {
  const found: Run[] = [];
  for (const run of parts.flat()) {
    if (!run.text) continue;
    const last = found.at(-1);
    if (last && last.style === run.style)
      found[found.length - 1] = { text: last.text + run.text, style: run.style };
    else found.push(run);
  }
  return found;
}
