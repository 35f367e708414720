/** A text in pieces of some lines. When the text grows, pieces that were full stay the same objects, so that only the
 * end is painted and rendered again. */
import { goesOn } from "../grown.js";
import type { Painter, Span } from "../highlight.js";

export interface Piece {
  from: number;
  to: number;
  spans: Span[];
}

const LINES = 40;
/** A line longer than this is a piece of its own. */
const LONG = 8_000;
/** How many pieces at the end are painted again: what comes can change how the lines before it are read. */
const LOOSE = 2;

export class Pieces {
  #text = "";
  #painter: Painter | null = null;
  #pieces: Piece[] = [];

  /** `final` paints all of it once more: a word at the end may have changed what stands far before it. */
  read(text: string, painter: Painter | null, final: boolean): Piece[] {
    const same = painter === this.#painter && goesOn(text, this.#text);
    if (same && text === this.#text && !final) return this.#pieces;
    const kept = same && !(final && painter) ? this.#pieces.slice(0, -LOOSE) : [];
    this.#text = text;
    this.#painter = painter;
    painter?.read(text);
    for (let from = kept.at(-1)?.to ?? 0; from < text.length; ) {
      const to = this.#end(from);
      const spans = painter ? painter.paint(from, to) : [{ text: text.slice(from, to), className: "" }];
      kept.push({ from, to, spans });
      from = to;
    }
    this.#pieces = kept;
    return kept;
  }

  /** After so many lines, or after one that is very long. */
  #end(from: number): number {
    let at = from;
    for (let n = 0; n < LINES && at - from < LONG; n++) {
      const found = this.#text.indexOf("\n", at);
      if (found === -1) return this.#text.length;
      at = found + 1;
    }
    return at;
  }
}
