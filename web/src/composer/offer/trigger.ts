/** What is being typed at the caret that something can be offered for: a file's name, or a command. Pure. */

export interface Token {
  kind: "file" | "command";
  query: string;
  /** What a choice replaces. */
  start: number;
  end: number;
}

const COMMAND = /^\/([a-zA-Z?]*)$/;
const FILE = /(?:^|[\s([{<"'`,;])@([^\s@"]{0,200})$/;
const QUOTED = /(?:^|[\s([{<,;])@"([^"\n]{0,200})$/;
/** No name is longer: what lies further back is not looked at. */
const BACK = 300;

export function tokenAt(text: string, caret: number): Token | null {
  const before = text.slice(Math.max(0, caret - BACK), caret);
  const command = caret <= BACK ? COMMAND.exec(before) : null;
  if (command) return { kind: "command", query: command[1] ?? "", start: 0, end: wordEnd(text, caret) };
  const file = QUOTED.exec(before) ?? FILE.exec(before);
  if (!file) return null;
  const query = file[1] ?? "";
  const quoted = before.endsWith(`"${query}`);
  const end = quoted && text[caret] === '"' ? caret + 1 : wordEnd(text, caret);
  return { kind: "file", query, start: caret - query.length - (quoted ? 2 : 1), end };
}

/** A path as it is mentioned; one with spaces stands in quotes. */
export function mention(path: string): string {
  return /[\s"]/.test(path) ? `@"${path}"` : `@${path}`;
}

export function replaced(text: string, { start, end }: Token, by: string): { text: string; caret: number } {
  return { text: text.slice(0, start) + by + text.slice(end), caret: start + by.length };
}

function wordEnd(text: string, caret: number): number {
  const rest = /^[^\s]*/.exec(text.slice(caret, caret + BACK));
  return caret + (rest?.[0].length ?? 0);
}
