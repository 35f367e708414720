/** The text of a line: its syntax colours, and over them the marks of the words that differ. Where something in it can't be
 * seen, or is not what it looks like, that is marked instead: somebody may decide on it. */
import { memo, useState } from "react";
import { texts } from "../../texts/texts.js";
import { useCut } from "../cut.js";
import type { Span } from "../highlight.js";
import { partsOf } from "../plain-characters.js";
import { PartView } from "../plainly.js";
import type { Range } from "./words.js";

/** Characters of a line that stand there at first. */
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
  const [all, setAll] = useState(false);
  useCut(!all && text.length > WIDEST);
  if (text.length > WIDEST) {
    const more = text.length - WIDEST;
    return (
      <>
        <Plain text={all ? text : text.slice(0, WIDEST)} />
        {!all && (
          <button type="button" className="prose-rest" onClick={() => setAll(true)}>
            {texts.prose.moreCharacters(more)}
          </button>
        )}
      </>
    );
  }
  if (isOdd(text)) return <Plain text={text} />;
  if (!spans && !marks.length) return text || " ";
  return cut(spans ?? [{ text, className: "" }], marks).map((piece, n) =>
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

const isOdd = (text: string) => partsOf(text).some(({ kind }) => kind !== "text" && kind !== "trailing");

/** With all that deceives marked; only the end of a line is an end in a diff, too. */
function Plain({ text }: { text: string }) {
  return (
    <bdi>
      {partsOf(text).map((part, n) =>
        part.kind === "trailing" ? part.text : <PartView key={n} part={part} />,
      )}
    </bdi>
  );
}

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
