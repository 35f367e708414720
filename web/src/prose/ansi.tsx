/** Output of a command, with its colours. Twelve lines first (of what still runs the last ones), the rest on demand. */
import { memo, useMemo, useState } from "react";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { type Row as Line, RowView } from "./ansi/row.js";
import { Screen } from "./ansi/screen.js";
import { countLines } from "./code/clip.js";
import { goesOn } from "./grown.js";
import { Scrolls } from "./scrolls.js";
import "./ansi/ansi.css";
import "./prose.css";

export interface AnsiProps {
  text: string;
  /** More of it comes: the end is shown instead of the beginning. */
  live?: boolean;
  /** How many lines stand there at first. */
  lines?: number;
}

const FIRST = 12;
/** Lines of the pieces that come after. */
const PIECE = 2_000;
/** Of what is live and folded only the end is read. */
const TAIL = 64_000;

export const Ansi = memo(function Ansi({ text, live = false, lines = FIRST }: AnsiProps) {
  const [room, setRoom] = useState(lines);
  const total = useMemo(() => countLines(text), [text]);
  const all = useRows(text, room, live);
  const shown = all.length <= room ? all : live ? all.slice(-room) : all.slice(0, room);
  const hidden = Math.max(0, total - room);
  if (!text) return <p className="prose-output text-ink-3">{texts.prose.noOutput}</p>;
  const more = hidden > 0 && (
    <div className="prose-more">
      <Button small kind="quiet" onClick={() => setRoom(room <= lines ? PIECE : room * 4)}>
        {total <= PIECE || total <= room * 4
          ? texts.prose.showAll(total)
          : texts.prose.showMore(Math.max(PIECE, room * 4) - room, hidden)}
      </Button>
      {room > lines && <Less onLess={() => setRoom(lines)} />}
    </div>
  );
  return (
    <div className="prose-output">
      {live && more}
      <Scrolls label={texts.prose.output}>
        {shown.map((row, n) => (
          <RowView key={live ? all.length - shown.length + n : n} row={row} />
        ))}
      </Scrolls>
      {!live && more}
      {!hidden && room > lines && total > lines && (
        <div className="prose-more">
          <Less onLess={() => setRoom(lines)} />
        </div>
      )}
    </div>
  );
});

function Less({ onLess }: { onLess(): void }) {
  return (
    <Button small kind="quiet" onClick={onLess}>
      {texts.prose.showLess}
    </Button>
  );
}

/** The lines of a text that may have grown since: only what is new is read. */
function useRows(text: string, room: number, live: boolean): Line[] {
  const [reader] = useState(() => new Reader());
  return reader.read(text, room, live);
}

class Reader {
  #screen = new Screen();
  #text = "";
  #from = 0;
  #end = 0;

  read(text: string, room: number, live: boolean): Line[] {
    const folded = live && room <= FIRST * 4;
    if (!goesOn(text, this.#text) || (this.#from > 0 && !folded)) this.#again(folded ? startOf(text) : 0);
    const end = live ? text.length : lineEnd(text, room);
    if (end < this.#end) this.#again(0);
    this.#screen.write(text.slice(this.#end, end));
    this.#text = text;
    this.#end = end;
    const { rows } = this.#screen;
    return rows.length > 1 && rows.at(-1)!.length === 0 ? rows.slice(0, -1) : rows;
  }

  #again(from: number): void {
    this.#screen = new Screen();
    this.#text = "";
    this.#from = from;
    this.#end = from;
  }
}

function startOf(text: string): number {
  return text.length > TAIL ? text.indexOf("\n", text.length - TAIL) + 1 : 0;
}

/** Where so many lines end. */
function lineEnd(text: string, lines: number): number {
  let at = 0;
  for (let n = 0; n < lines; n++) {
    at = text.indexOf("\n", at) + 1;
    if (!at) return text.length;
  }
  return at;
}
