/** A code block that is still being written: prolonged without reading it again. */
import type { Token, Tokens } from "marked";

export interface Fence {
  /** Where the block starts, and where its code does. */
  at: number;
  code: number;
  lang: string;
  close: RegExp;
  /** Up to here it was looked for the end. */
  seen: number;
}

/** The fence that a text ends in, if the rest of it is nothing but that. */
export function fenceAt(text: string, from: number, tokens: Token[]): Fence | null {
  const written = tokens.filter(({ type }) => type !== "space");
  if (written.length !== 1 || written[0]!.type !== "code") return null;
  const at = from + text.slice(from).search(/\S/);
  const line = text.indexOf("\n", at);
  const found = line === -1 ? null : /^(`{3,}|~{3,})([^\n]*)$/.exec(text.slice(at, line));
  if (!found || (at > 0 && text[at - 1] !== "\n")) return null;
  const [, mark, lang] = found;
  const close = new RegExp(`^ {0,3}${mark![0] === "`" ? "`" : "~"}{${mark!.length},}[ \t]*$`);
  return { at: from, code: line + 1, lang: lang!.trim(), close, seen: line + 1 };
}

/** The block as it is now; null when it was closed. A last line that may become its end is held back. */
export function fenceGrown(fence: Fence, text: string): Tokens.Code | null {
  for (;;) {
    const end = text.indexOf("\n", fence.seen);
    if (end === -1) break;
    if (fence.close.test(text.slice(fence.seen, end))) return null;
    fence.seen = end + 1;
  }
  const last = text.slice(fence.seen);
  if (fence.close.test(last)) return null;
  const held = /^ {0,3}[`~]+[ \t]*$/.test(last);
  const code = text.slice(fence.code, held ? Math.max(fence.seen - 1, fence.code) : text.length);
  return { type: "code", raw: text.slice(fence.at), lang: fence.lang, text: code };
}
