/** One line of output. */
import { type CSSProperties, memo, type ReactNode } from "react";
import { texts } from "../../texts/texts.js";
import { Link } from "../markdown/link.js";
import { cut, type Row, type Run } from "./screen.js";
import type { Colour, Style } from "./style.js";

export type { Row };

/** A longer line is cut: no screen is that wide. */
const WIDEST = 5_000;

/** Lines that are laid out together, and not at all while they are off the screen. */
const CHUNK = 100;

/** `from` is the number of the first one: lines keep their place when others come. */
export function Rows({ rows, from }: { rows: Row[]; from: number }) {
  const chunks: ReactNode[] = [];
  for (let at = 0; at < rows.length; ) {
    const number = Math.floor((from + at) / CHUNK);
    const end = Math.min(rows.length, (number + 1) * CHUNK - from);
    chunks.push(<Chunk key={number} rows={rows.slice(at, end)} />);
    at = end;
  }
  return chunks;
}

const Chunk = memo(
  function Chunk({ rows }: { rows: Row[] }) {
    return (
      <div className={rows.length === CHUNK ? "prose-chunk" : undefined}>
        {rows.map((row, n) => (
          <RowView key={n} row={row} />
        ))}
      </div>
    );
  },
  ({ rows: before }, { rows: after }) =>
    before.length === after.length && before.every((row, n) => row === after[n]),
);

const RowView = memo(function RowView({ row }: { row: Row }) {
  const runs = row.length > WIDEST ? cut(row.runs, 0, WIDEST) : row.runs;
  return (
    <div>
      {runs.map((run, n) => (
        <RunView key={n} run={run} />
      ))}
      {row.length > WIDEST && <span className="text-ink-3">{texts.prose.longLine(row.length - WIDEST)}</span>}
      {"\n"}
    </div>
  );
});

function RunView({ run }: { run: Run }) {
  const { text, style } = run;
  const className = classOf(style);
  const colours = coloursOf(style);
  if (!className && !colours && !style.link) return text;
  const shown = (
    <span className={className || undefined} style={colours}>
      {text}
    </span>
  );
  return style.link ? (
    <Link href={style.link} words={text}>
      {shown}
    </Link>
  ) : (
    shown
  );
}

function classOf(style: Style): string {
  const [fg, bg] = style.inverse ? [style.bg, style.fg] : [style.fg, style.bg];
  return [
    style.bold && "font-semibold",
    style.dim && fg === undefined && !style.inverse && "text-ink-3",
    style.italic && "italic",
    style.underline && "underline",
    style.strike && "line-through",
    style.inverse && "ansi-inverse",
    typeof style.bg === "string" && !style.inverse && "ansi-hued",
    typeof fg === "number" && !style.inverse && bg === undefined && `ansi-f${fg}`,
    typeof bg === "number" && `ansi-${style.inverse ? "i" : "b"}${bg}`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** On a ground of its own text is ink: a program can't know which of our grounds its colours can be read on. Hues that are none of the sixteen; how light they are stands in the style sheet. */
function coloursOf(style: Style): CSSProperties | undefined {
  const colour = (of: Colour | undefined, light: string) =>
    typeof of === "string" ? `oklch(var(${light}) ${of})` : undefined;
  const color = style.inverse || style.bg !== undefined ? undefined : colour(style.fg, "--ansi-fg");
  const backgroundColor = style.inverse ? colour(style.fg, "--ansi-fg") : colour(style.bg, "--ansi-bg");
  if (!color && !backgroundColor) return undefined;
  return { ...(color ? { color } : {}), ...(backgroundColor ? { backgroundColor } : {}) };
}
