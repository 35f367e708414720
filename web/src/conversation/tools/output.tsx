/**
 * What was printed: twelve lines, then all of it on demand. Of a command the last lines are shown, as they say how it
 * ended; of anything else the first. However much there is, only what is seen is drawn.
 */
import { useMemo, useState } from "react";
import { Ansi } from "../../prose/ansi.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";

const LINES = 12;
/** Characters that are drawn at once; beyond, the whole is opened by itself. */
const MOST = 200_000;

interface Props {
  text: string;
  label: string;
  /** Show the last lines instead of the first. */
  tail?: boolean;
  bad?: boolean;
}

export function Output({ text, label, tail = false, bad = false }: Props) {
  const words = texts.conversation.tools;
  const [all, setAll] = useState(false);
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  const [shown, lines] = useMemo(() => partOf(body, all, tail), [body, all, tail]);
  const more = lines > LINES;
  const button = more && (
    <Button small kind="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
      {all ? words.showFewer : words.showAll(lines)}
    </Button>
  );
  return (
    <figure aria-label={label} className="rounded-control bg-sunken">
      {tail && button}
      <pre
        tabIndex={all ? 0 : undefined}
        className={`overflow-auto px-3 py-2 font-mono text-xs leading-[1.5] break-words whitespace-pre-wrap ${all ? "max-h-[60vh]" : ""} ${bad ? "text-bad" : "text-ink"}`}
      >
        <Ansi text={shown} />
      </pre>
      {!tail && button}
    </figure>
  );
}

/** What is shown of it, and how many lines there are. */
function partOf(text: string, all: boolean, tail: boolean): [string, number] {
  const lines = countLines(text);
  if (all || lines <= LINES) return [tail ? text.slice(-MOST) : text.slice(0, MOST), lines];
  let at = tail ? text.length : -1;
  for (let n = 0; n < LINES; n++) at = tail ? text.lastIndexOf("\n", at - 1) : text.indexOf("\n", at + 1);
  return [tail ? text.slice(at + 1).slice(-MOST) : text.slice(0, at).slice(0, MOST), lines];
}

function countLines(text: string): number {
  let n = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) n++;
  return n;
}
