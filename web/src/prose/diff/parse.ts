/** A unified diff as files, hunks and lines. Whatever it can't read it keeps as a line of text: nothing is lost. */

export interface Line {
  kind: "same" | "added" | "removed" | "word";
  text: string;
  /** Its numbers in the file before and after. */
  before: number | null;
  after: number | null;
}
export interface Hunk {
  heading: string;
  lines: Line[];
}
export interface FileDiff {
  before: string | null;
  after: string | null;
  state: "changed" | "added" | "removed" | "renamed";
  binary: boolean;
  hunks: Hunk[];
  added: number;
  removed: number;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

export function parseDiff(text: string): FileDiff[] {
  const reader = new Reader();
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) reader.line(line);
  return reader.files;
}

class Reader {
  files: FileDiff[] = [];
  #hunk: Hunk | null = null;
  #before = 0;
  #after = 0;
  /** Lines of the hunk that are still to come, so that `--- a` inside a hunk is a removed line. */
  #left = { before: 0, after: 0 };

  line(line: string): void {
    if (this.#hunk && (this.#left.before > 0 || this.#left.after > 0 || line.startsWith("\\")))
      this.#content(line);
    else if (!this.#header(line) && this.#hunk) this.#content(line);
    else if (!this.#hunk && /^[+-]/.test(line) && !/^(\+\+\+|---) /.test(line)) this.#loose(line);
  }

  /** A diff without any heading: its lines speak for themselves. */
  #loose(line: string): void {
    const file = this.#file;
    this.#hunk = { heading: "", lines: [] };
    file.hunks.push(this.#hunk);
    this.#before = this.#after = 1;
    this.#content(line);
  }

  get #file(): FileDiff {
    return this.files.at(-1) ?? this.#next(null, null);
  }

  #next(before: string | null, after: string | null): FileDiff {
    const file: FileDiff = {
      before,
      after,
      state: "changed",
      binary: false,
      hunks: [],
      added: 0,
      removed: 0,
    };
    this.files.push(file);
    this.#hunk = null;
    return file;
  }

  #header(written: string): boolean {
    const line = written.replace(/\r$/, "");
    const hunk = HUNK.exec(line);
    if (hunk) {
      this.#begin(hunk);
      return true;
    }
    const named = /^(---|\+\+\+) (.*)$/.exec(line);
    if (named) {
      this.#named(named[1] === "---", path(named[2]!));
      return true;
    }
    if (line.startsWith("diff ")) {
      const git = /^diff --git "?a\/(.+?)"? "?b\/(.+?)"?$/.exec(line);
      this.#next(git?.[1] ?? null, git?.[2] ?? null);
      return true;
    }
    return this.#about(line);
  }

  #about(line: string): boolean {
    if (this.#hunk) return false;
    if (line.startsWith("new file")) this.#file.state = "added";
    else if (line.startsWith("deleted file")) this.#file.state = "removed";
    else if (line.startsWith("rename from "))
      Object.assign(this.#file, { state: "renamed", before: line.slice(12) });
    else if (line.startsWith("rename to "))
      Object.assign(this.#file, { state: "renamed", after: line.slice(10) });
    else if (/^(Binary files |GIT binary patch)/.test(line)) this.#file.binary = true;
    else return /^(index|similarity|dissimilarity|old mode|new mode|copy) /.test(line);
    return true;
  }

  #named(isBefore: boolean, name: string | null): void {
    const file = isBefore && (this.files.at(-1)?.hunks.length ?? 1) ? this.#next(null, null) : this.#file;
    if (isBefore) {
      file.before = name;
      if (name === null) file.state = "added";
    } else {
      file.after = name;
      if (name === null) file.state = "removed";
    }
    this.#hunk = null;
  }

  #begin(found: RegExpExecArray): void {
    const count = (text: string | undefined) => (text === undefined ? 1 : Number(text));
    const file = this.#file;
    this.#hunk = { heading: found[5]!, lines: [] };
    this.#before = Number(found[1]);
    this.#after = Number(found[3]);
    this.#left = { before: count(found[2]), after: count(found[4]) };
    file.hunks.push(this.#hunk);
  }

  #content(line: string): void {
    const mark = line[0] ?? " ";
    const text = line.slice(1);
    const push = (kind: Line["kind"], before: number | null, after: number | null, said = text) =>
      this.#hunk!.lines.push({ kind, text: said, before, after });
    if (mark === "+") {
      push("added", null, this.#after++);
      this.#file.added++;
      this.#left.after--;
    } else if (mark === "-") {
      push("removed", this.#before++, null);
      this.#file.removed++;
      this.#left.before--;
    } else if (mark === "\\") push("word", null, null, text.trim());
    else if (mark === " ") {
      push("same", this.#before++, this.#after++);
      this.#left.before--;
      this.#left.after--;
    } else push("word", null, null, line);
  }
}

/** A name as diffs write it: `a/src/x.py`, with a time behind a tab, `/dev/null` for none. */
function path(written: string): string | null {
  const name = written.split("\t")[0]!.replace(/^"(.*)"$/, "$1");
  if (name === "/dev/null") return null;
  return name.replace(/^[ab]\//, "");
}
