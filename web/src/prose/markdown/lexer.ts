/** Markdown as tokens: `marked`'s lexer with formulas and footnotes, and never its HTML. */
import { Lexer, type Links, Marked, type Token, type TokenizerExtension, type Tokens } from "marked";

export interface FormulaToken extends Tokens.Generic {
  type: "formula";
  text: string;
  display: boolean;
}
export interface NoteToken extends Tokens.Generic {
  type: "note";
  name: string;
}
export interface NoteTextToken extends NoteToken {
  tokens: Token[];
}

/** `$x$`: not after a space, not before a digit, so that prices stay prices. */
const DOLLAR = /^\$(?![\s$\d])((?:\\[^\n]|[^\\$\n]){1,2000}?)(?<!\s)\$(?![\d$\w])/;
const DOLLAR_DIGIT =
  /^\$(\d(?:\\[^\n]|[^\\$\n]){0,200}?[\\^_=+*/{}](?:\\[^\n]|[^\\$\n]){0,2000}?)(?<!\s)\$(?![\d$\w])/;
const DOLLARS = /^\$\$((?:\\[^\n]|[^\\$]){1,5000}?)\$\$/;
const ROUND = /^\\\(((?:[^\\\n]|\\[^)\n]){1,2000}?)\\\)/;
const SQUARE = /^\\\[((?:[^\\]|\\[^\]]){1,5000}?)\\\]/;

const inlineFormula: TokenizerExtension = {
  name: "formula",
  level: "inline",
  start: (src) => {
    const at = src.search(/\$|\\[([]/);
    return at === -1 ? undefined : at;
  },
  tokenizer(src) {
    const wide = DOLLARS.exec(src) ?? SQUARE.exec(src);
    const found = wide ?? DOLLAR.exec(src) ?? DOLLAR_DIGIT.exec(src) ?? ROUND.exec(src);
    if (!found) return undefined;
    return { type: "formula", raw: found[0], text: found[1]!.trim(), display: false };
  },
};

const BLOCKS = /^ {0,3}(?:\$\$([\s\S]{1,20000}?)\$\$|\\\[([\s\S]{1,20000}?)\\\])[ \t]*(?:\n+|$)/;

const blockFormula: TokenizerExtension = {
  name: "formulaBlock",
  level: "block",
  start: (src) => {
    const at = src.search(/(?:^|\n) {0,3}(?:\$\$|\\\[)/);
    return at === -1 ? undefined : at;
  },
  tokenizer(src) {
    const found = BLOCKS.exec(src);
    const text = (found?.[1] ?? found?.[2])?.trim();
    if (!found || !text || /\n[ \t]*\n/.test(text)) return undefined;
    return { type: "formula", raw: found[0], text, display: true };
  },
};

const note: TokenizerExtension = {
  name: "note",
  level: "inline",
  start: (src) => {
    const at = src.indexOf("[^");
    return at === -1 ? undefined : at;
  },
  tokenizer(src) {
    const found = /^\[\^([\w-]{1,40})\](?!:)/.exec(src);
    return found ? { type: "note", raw: found[0], name: found[1]! } : undefined;
  },
};

const noteText: TokenizerExtension = {
  name: "noteText",
  level: "block",
  tokenizer(src) {
    const found = /^\[\^([\w-]{1,40})\]:[ \t]*([^\n]*(?:\n(?!\n|\[\^)[^\n]+)*)(?:\n+|$)/.exec(src);
    if (!found) return undefined;
    return { type: "noteText", raw: found[0], name: found[1]!, tokens: this.lexer.inline(found[2]!) };
  },
  childTokens: ["tokens"],
};

const instance = new Marked({
  gfm: true,
  breaks: false,
  extensions: [inlineFormula, blockFormula, note, noteText],
});

/** The tokens of a text, which sees the link targets that were named before it. */
export function lex(text: string, links: Links): { tokens: Token[]; links: Links } {
  const lexer = new Lexer(instance.defaults);
  Object.assign(lexer.tokens.links, links);
  const tokens = lexer.lex(text);
  return { tokens, links: tokens.links };
}
