/** The beginning of a long text, and the way to the rest of it, piece by piece: ten megabytes never stand in a page at
 * once unless somebody asks for all of it. */
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";

/** Characters and lines of one piece of a clipped text. */
const CHARACTERS = 60_000;
const LINES = 1_000;

interface Cut {
  text: string;
  /** Lines that are not shown. */
  left: number;
}

/** The first `room` pieces of a text, cut at a line end where there is one near. */
export function clip(text: string, room: number): Cut {
  const end = endOf(text, room * CHARACTERS, room * LINES);
  if (end >= text.length) return { text, left: 0 };
  return { text: text.slice(0, end), left: countLines(text, end) };
}

function endOf(text: string, characters: number, lines: number): number {
  let at = 0;
  for (let n = 0; n < lines; n++) {
    const found = text.indexOf("\n", at);
    if (found === -1) return Math.min(text.length, Math.max(at, characters));
    if (found >= characters) return at || characters;
    at = found + 1;
  }
  return at;
}

/** How many lines begin at or after a place. */
export function countLines(text: string, from = 0): number {
  if (from >= text.length) return 0;
  let n = 1;
  for (let at = text.indexOf("\n", from); at !== -1 && at < text.length - 1; at = text.indexOf("\n", at + 1))
    n++;
  return n;
}

interface ClippedProps {
  cut: Cut;
  room: number;
  onRoom(room: number): void;
}

/** The bar below a clipped text. */
export function Clipped({ cut, room, onRoom }: ClippedProps) {
  if (!cut.left && room === 1) return null;
  return (
    <div className="prose-more">
      {cut.left > 0 && (
        <Button small kind="quiet" onClick={() => onRoom(room * 4)}>
          {cut.left > LINES * 3 * room
            ? texts.prose.showMore(LINES * 3 * room, cut.left)
            : texts.prose.showAll(countLines(cut.text) + cut.left)}
        </Button>
      )}
      {room > 1 && (
        <Button small kind="quiet" onClick={() => onRoom(1)}>
          {texts.prose.showLess}
        </Button>
      )}
    </div>
  );
}
