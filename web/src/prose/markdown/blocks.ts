/** A text that grows, as blocks. Blocks before the last blank line that nothing can change any more are kept as they are;
 * only what stands behind is read again, so an update costs the same at the end of a long answer as at its beginning. */
import type { Links, Token, Tokens } from "marked";
import { goesOn } from "../grown.js";
import { type Fence, fenceAt, fenceGrown } from "./fence.js";
import { lex } from "./lexer.js";
import { mended } from "./mend.js";

export interface Block {
  /** Where it starts in the text: its name among the others. */
  at: number;
  token: Token;
  /** More of it comes. */
  open: boolean;
}

export class Blocks {
  #text = "";
  #streaming = false;
  #done: Block[] = [];
  /** Where the part begins that is read again. */
  #from = 0;
  #links: Links = Object.create(null) as Links;
  #fence: Fence | null = null;
  #shown: Block[] = [];

  read(said: string, streaming: boolean): Block[] {
    const text = said.includes("\r") ? said.replace(/\r\n?/g, "\n") : said;
    if (text === this.#text && streaming === this.#streaming) return this.#shown;
    if (!goesOn(text, this.#text) || (this.#streaming !== streaming && streaming)) this.#forget();
    this.#text = text;
    this.#streaming = streaming;
    const rest = this.#rest();
    this.#shown = [...this.#done, ...rest];
    return this.#shown;
  }

  #forget(): void {
    this.#done = [];
    this.#from = 0;
    this.#fence = null;
    this.#links = Object.create(null) as Links;
  }

  /** What stands behind the kept blocks; a long code that is still open is not read again, only prolonged. */
  #rest(): Block[] {
    if (this.#fence && this.#streaming) {
      const grown = fenceGrown(this.#fence, this.#text);
      if (grown) return [{ at: this.#fence.at, token: grown, open: true }];
    }
    this.#fence = null;
    const tail = this.#text.slice(this.#from);
    const { tokens, links } = lex(tail, this.#links);
    const kept = this.#streaming ? this.#keep(tokens, links) : 0;
    if (kept < 0) return this.#rest();
    const rest = this.#text.slice(this.#from);
    if (!this.#streaming) return this.#settled(tokens, links);
    this.#fence = fenceAt(this.#text, this.#from, tokens.slice(kept));
    if (this.#fence) {
      const grown = fenceGrown(this.#fence, this.#text);
      if (grown) return [{ at: this.#from, token: grown, open: true }];
    }
    return this.#named(lex(mended(rest), this.#links).tokens, true);
  }

  /** Keep what cannot change any more; how many tokens that were, or -1 if a link's target makes a new reading due. */
  #keep(tokens: Token[], links: Links): number {
    const end = stable(tokens);
    const found = tokens.slice(0, end);
    const length = found.reduce((sum, { raw }) => sum + raw.length, 0);
    const named = found.filter((token): token is Tokens.Def => token.type === "def");
    if (named.some(({ tag }) => !(tag in this.#links))) {
      for (const { tag } of named) if (links[tag]) this.#links[tag] = links[tag];
      this.#done = [];
      this.#from = 0;
      return -1;
    }
    this.#done = [...this.#done, ...this.#named(found, false)];
    this.#from += length;
    return end;
  }

  /** The end has come: link targets named anywhere hold everywhere. */
  #settled(tokens: Token[], links: Links): Block[] {
    const named = Object.keys(links).some((tag) => !(tag in this.#links));
    if (!named || !this.#done.length) return this.#named(tokens, false);
    this.#links = links;
    this.#done = [];
    this.#from = 0;
    return this.#named(lex(this.#text, links).tokens, false);
  }

  #named(tokens: Token[], open: boolean): Block[] {
    let at = this.#from;
    const blocks: Block[] = [];
    for (const token of tokens) {
      if (token.type !== "space" && token.type !== "def") blocks.push({ at, token, open: false });
      at += token.raw.length;
    }
    const last = blocks.at(-1);
    if (open && last) last.open = true;
    return blocks;
  }
}

/** How many tokens at the beginning can't change: they end with a blank line, and what follows has a whole first line. */
function stable(tokens: Token[]): number {
  for (let n = tokens.length - 1; n > 0; n--) {
    const token = tokens[n]!;
    if (token.type === "space") continue;
    const before = tokens[n - 1]!;
    const apart = before.type === "space" || /\n[ \t]*\n$/.test(before.raw);
    if (apart && (n < tokens.length - 1 || /\S[^\n]*\n/.test(token.raw))) return n;
  }
  return 0;
}
