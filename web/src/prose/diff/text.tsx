/** The text of a line: its syntax colours, and over them the marks of the words that differ. */
import { memo } from "react";
import type { Span } from "../highlight.js";
import type { Range } from "./words.js";

const WIDEST = 5_000;

export const LineText = memo(function LineText({
  text,
  spans,
  marks,
}: {
  text: string;
  spans: Span[] | undefined;
  marks: Range[];
}) {
  const whole = text.length > WIDEST ? `${text.slice(0, WIDEST)}…` : text;
  if (!spans && !marks.length) return whole || " ";
  const pieces = cut(spans && text.length <= WIDEST ? spans : [{ text: whole, className: "" }], marks);
  return pieces.map((piece, n) =>
    piece.marked ? (
      <mark key={n} className={`prose-word ${piece.className}`}>
        {piece.text}
      </mark>
    ) : piece.className ? (
      <span key={n} className={piece.className}>
        {piece.text}
      </span>
    ) : (
      piece.text
    ),
  );
});

interface Piece extends Span {
  marked: boolean;
}

/** Spans cut where marks begin and end. */
function cut(spans: Span[], marks: Range[]): Piece[] {
  const edges = marks.flatMap(({ from, to }) => [from, to]);
  const found: Piece[] = [];
  let at = 0;
  for (const { text, className } of spans) {
    const end = at + text.length;
    const stops = [...edges.filter((edge) => edge > at && edge < end), end];
    let from = at;
    for (const stop of stops) {
      const marked = marks.some((range) => range.from <= from && stop <= range.to);
      found.push({ text: text.slice(from - at, stop - at), className, marked });
      from = stop;
    }
    at = end;
  }
  return found;
}
