/** Output of a command, with its colours. Twelve lines first (of what still runs the last ones), the rest on demand. */
import { memo, useMemo, useState } from "react";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { type Row as Line, Rows } from "./ansi/row.js";
import { Screen } from "./ansi/screen.js";
import { countLines } from "./code/clip.js";
import { goesOn } from "./grown.js";
import { Scrolls } from "./scrolls.js";
import "./ansi/ansi.css";
import "./prose.css";

interface AnsiProps {
  text: string;
  /** More of it comes: the end is shown instead of the beginning. */
  live?: boolean;
  /** How many lines stand there at first. */
  lines?: number;
}

const FIRST = 12;
/** Lines of the pieces that come after. */
const PIECE = 5_000;
/** More characters for each line that came at once are not all read: most of them are not shown. */
const FAR = 2_000;

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
        <Rows rows={shown} from={live ? all.length - shown.length : 0} />
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

/** Reads no more of a text than is shown of it, and of one that grew only what is new. */
class Reader {
  #screen = new Screen();
  #text = "";
  #mode = "";
  #end = 0;

  read(text: string, room: number, live: boolean): Line[] {
    const mode = live ? `the last ${room}` : "the first";
    const gap = live && text.length - this.#end > FAR * room;
    const end = live ? text.length : lineEnd(text, room);
    if (!goesOn(text, this.#text) || mode !== this.#mode || gap || end < this.#end) {
      this.#screen = new Screen();
      this.#end = live ? lastLines(text, room) : 0;
    }
    this.#screen.write(text.slice(this.#end, end));
    this.#text = text;
    this.#mode = mode;
    this.#end = end;
    const { rows } = this.#screen;
    return rows.length > 1 && rows.at(-1)!.length === 0 ? rows.slice(0, -1) : rows;
  }
}

/** Where the last lines begin; some more, because a program may go up and write over them. */
function lastLines(text: string, lines: number): number {
  let at = text.length;
  for (let n = 0; n < lines * 2 && at > 0; n++) at = text.lastIndexOf("\n", at - 1);
  return Math.max(0, at + 1 - (at <= 0 ? 1 : 0));
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
