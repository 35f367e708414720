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

/** A longer formula is none. */
const LONGEST = 10_000;

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

const blockFormula: TokenizerExtension = {
  name: "formulaBlock",
  level: "block",
  // Only in this paragraph: looked for in all that follows, each paragraph would cost the whole text.
  start: (src) => {
    const end = src.indexOf("\n\n");
    const found = /\n {0,3}(?:\$\$|\\\[)/.exec(end === -1 ? src : src.slice(0, end));
    return found && formulaAt(src.slice(found.index + 1)) ? found.index + 1 : undefined;
  },
  tokenizer: (src) => formulaAt(src),
};

function formulaAt(src: string): FormulaToken | undefined {
  const opens = /^ {0,3}(\$\$|\\\[)/.exec(src);
  if (!opens) return undefined;
  const from = opens[0].length;
  const to = src.slice(0, LONGEST).indexOf(opens[1] === "$$" ? "$$" : "\\]", from);
  const text = src.slice(from, to).trim();
  const behind = /^[ \t]*(?:\n+|$)/.exec(src.slice(to + 2, to + 200));
  if (to === -1 || !text || !behind || /\n[ \t]*\n/.test(text)) return undefined;
  return { type: "formula", raw: src.slice(0, to + 2) + behind[0], text, display: true };
}

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

/** Reading marks takes the square of their number: a run with more of them is nobody's prose, and is shown as it is. */
const MOST_MARKS = 400;
const MARK = /[*_~`[\]$\\<]/g;

class CarefulLexer extends Lexer {
  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length <= MOST_MARKS || (src.match(MARK)?.length ?? 0) <= MOST_MARKS)
      return super.inlineTokens(src, tokens);
    tokens.push({ type: "text", raw: src, text: src });
    return tokens;
  }
}

/** The tokens of a text, which sees the link targets that were named before it. What can't be read is a text. */
export function lex(text: string, links: Links): { tokens: Token[]; links: Links } {
  const deep = DEEP.exec(text);
  if (!deep) return lexed(text, links);
  const from = text.lastIndexOf("\n\n", deep.index) + 1;
  const end = text.indexOf("\n\n", deep.index + deep[0].length);
  const to = end === -1 ? text.length : end + 2;
  const before = from ? lexed(text.slice(0, from), links) : { tokens: [], links };
  const after = to < text.length ? lex(text.slice(to), before.links) : { tokens: [], links: before.links };
  return { tokens: [...before.tokens, asText(text.slice(from, to)), ...after.tokens], links: after.links };
}

function lexed(text: string, links: Links): { tokens: Token[]; links: Links } {
  const lexer = new CarefulLexer(instance.defaults);
  Object.assign(lexer.tokens.links, links);
  try {
    const tokens = lexer.lex(text);
    return { tokens, links: tokens.links };
  } catch {
    return { tokens: [asText(text)], links };
  }
}

/** Quotes and lists inside one another, deeper than anybody writes them: read, they would end the stack. */
const DEEP = /(?:^|\n)[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+){40}/;

const asText = (text: string): Token => ({ type: "html", raw: text, text, block: true, pre: false });
