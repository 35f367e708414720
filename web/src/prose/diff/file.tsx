/** One file of a diff: its name and counts, and its hunks. */
import { type ReactNode, useMemo, useState } from "react";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { useCut } from "../cut.js";
import { type Span, useHighlightedLines } from "../highlight.js";
import { Plainly } from "../plainly.js";
import { type Paint, Rows } from "./lines.js";
import type { FileDiff, Line } from "./parse.js";
import { type Marked, splitRows, unifiedRows } from "./rows.js";

interface Props {
  file: FileDiff;
  /** Its name where the diff has none. */
  path: string | undefined;
  split: boolean;
  actions: ReactNode;
}

/** Lines that stand there at first. */
const FIRST = 300;

export function File({ file, path, split, actions }: Props) {
  const name = file.after ?? file.before ?? path ?? "";
  const [all, setAll] = useState(false);
  const hunks = useMemo(() => (all ? file.hunks : clipped(file)), [file, all]);
  const rows = useMemo(
    () => hunks.map((hunk) => (split ? splitRows(hunk) : unifiedRows(hunk))),
    [hunks, split],
  );
  const lines = useMemo(() => hunks.flatMap((hunk) => hunk.lines), [hunks]);
  const paint = usePaint(lines, name);
  const total = file.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  const empty = !file.hunks.length;
  useCut(!all && total > FIRST);
  return (
    <div className="prose-file">
      <div className="prose-bar">
        <Name file={file} name={name} />
        <Counts added={file.added} removed={file.removed} />
        {actions}
      </div>
      {empty ? (
        <p className="prose-between">{file.binary ? texts.prose.binary : texts.prose.noChanges}</p>
      ) : (
        <table className={split ? "prose-split" : undefined} aria-label={texts.prose.diffOf(name)}>
          <colgroup>
            <col className="prose-no" />
            <col className={split ? undefined : "prose-no"} />
            {split && <col className="prose-no" />}
            <col />
          </colgroup>
          {hunks.map((hunk, n) => (
            <tbody key={n}>
              {(n > 0 || hunk.heading) && (
                <tr>
                  <td colSpan={split ? 4 : 3} className="prose-between">
                    {hunk.heading || texts.prose.between}
                  </td>
                </tr>
              )}
              <Rows rows={rows[n]!} paint={paint} split={split} />
            </tbody>
          ))}
        </table>
      )}
      {!all && total > FIRST && (
        <div className="prose-more">
          <Button small kind="quiet" onClick={() => setAll(true)}>
            {texts.prose.showAll(total)}
          </Button>
        </div>
      )}
    </div>
  );
}

function Name({ file, name }: { file: FileDiff; name: string }) {
  const states = {
    added: texts.prose.fileAdded,
    removed: texts.prose.fileRemoved,
    renamed: texts.prose.fileRenamed,
    changed: "",
  };
  const shown =
    file.state === "renamed" && file.before && file.after
      ? texts.prose.renamed(file.before, file.after)
      : name;
  return (
    <span className="flex min-w-0 flex-1 items-center gap-2">
      <span className="min-w-0 truncate font-mono text-ink" title={shown}>
        <Plainly text={shown} inline />
      </span>
      {states[file.state] && <span className="text-ink-3">{states[file.state]}</span>}
    </span>
  );
}

export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="flex gap-2 px-2 font-mono tabular-nums">
      <span className="text-good" title={texts.prose.added(added)}>
        +{added}
        <span className="sr-only"> ({texts.prose.added(added)})</span>
      </span>
      <span className="text-bad" title={texts.prose.removed(removed)}>
        −{removed}
        <span className="sr-only"> ({texts.prose.removed(removed)})</span>
      </span>
    </span>
  );
}

/** The hunks up to so many lines. */
function clipped(file: FileDiff): FileDiff["hunks"] {
  let left = FIRST;
  const found: FileDiff["hunks"] = [];
  for (const hunk of file.hunks) {
    if (left <= 0) break;
    found.push(hunk.lines.length > left ? { ...hunk, lines: hunk.lines.slice(0, left) } : hunk);
    left -= hunk.lines.length;
  }
  return found;
}

/** Both sides are painted as the texts they are; a line finds its colours by its number. */
function usePaint(lines: Line[], name: string): Paint {
  const before = useMemo(() => side(lines, "before"), [lines]);
  const after = useMemo(() => side(lines, "after"), [lines]);
  const old = useHighlightedLines(before.text, name || undefined);
  const now = useHighlightedLines(after.text, name || undefined);
  return useMemo(() => {
    const painted = new Map<string, Span[]>();
    for (const [n, number] of before.numbers.entries()) if (old?.[n]) painted.set(`-${number}`, old[n]);
    for (const [n, number] of after.numbers.entries()) if (now?.[n]) painted.set(`+${number}`, now[n]);
    return (line: Marked) => painted.get(line.after === null ? `-${line.before}` : `+${line.after}`);
  }, [old, now, before.numbers, after.numbers]);
}

function side(lines: Line[], of: "before" | "after"): { text: string; numbers: number[] } {
  const found = lines.filter((line) => line[of] !== null);
  return { text: found.map(({ text }) => text).join("\n"), numbers: found.map((line) => line[of]!) };
}
