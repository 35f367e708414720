/** One changed file: its state, its counts, its difference when it is opened, and the way back. */
import { ChevronRight, FileOutput, LoaderCircle, Undo2 } from "lucide-react";
import { useId, useState } from "react";
import { Diff } from "../../prose/diff.js";
import { useAnswer, useSession, useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { IconButton } from "../../ui/icon-button.js";
import { Tip } from "../../ui/tip.js";
import type { Place } from "../place.js";
import type { Change } from "./reverting.js";

interface Props {
  change: Change;
  place: Place | null;
  busy: boolean;
  /** Why it was not reverted. */
  refused: string | undefined;
  onRevert(force: boolean): void;
}

/** So many letters at the end of a name are never cut. */
const TAIL = 10;

const KINDS = {
  added: ["A", "text-good"],
  modified: ["M", "text-note"],
  deleted: ["D", "text-bad"],
} as const;

export function ChangeRow({ change, place, busy, refused, onRevert }: Props) {
  const studio = useStudio();
  const [open, setOpen] = useState(false);
  const id = useId();
  const { changes } = texts.beside;
  const { path, change: kind, now } = change;
  const [letter, colour] = KINDS[kind];
  const cut = path.lastIndexOf("/") + 1;
  // Names that are long are told apart by their ends.
  const end = Math.max(cut, path.length - TAIL);
  return (
    <li className="border-b border-line last:border-0">
      <div className="group flex items-center gap-1 pr-2 hover:bg-sunken">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
          className="flex min-h-8 min-w-0 flex-1 items-center gap-1.5 py-1 pl-2 text-left text-sm -outline-offset-2 max-mid:min-h-11"
        >
          <ChevronRight
            size={14}
            aria-hidden
            className={`shrink-0 text-ink-3 motion-safe:transition-transform ${open ? "rotate-90" : ""}`}
          />
          <span
            aria-hidden
            title={changes[kind]}
            className={`w-3 shrink-0 font-mono text-xs font-semibold ${colour}`}
          >
            {letter}
          </span>
          <span className="sr-only">{changes[kind]}</span>
          <span
            title={path}
            className={`flex min-w-0 flex-1 ${now === "undone" ? "text-ink-3 line-through" : ""}`}
          >
            {cut > 0 && (
              <span className="min-w-6 shrink-[999] truncate text-ink-3">{path.slice(0, cut)}</span>
            )}
            <span className="min-w-0 truncate">{path.slice(cut, end)}</span>
            <span className="shrink-0">{path.slice(end)}</span>
          </span>
          <State change={change} />
          <Counts of={change} />
        </button>
        {place && kind !== "deleted" && now !== "undone" && (
          <IconButton label={changes.open(path)} onClick={() => studio.opened.set({ path })}>
            <FileOutput size={15} aria-hidden />
          </IconButton>
        )}
        {now !== "undone" && !change.imported && (
          <IconButton label={changes.revert(path)} disabled={busy} onClick={() => onRevert(false)}>
            {busy ? (
              <LoaderCircle size={15} className="motion-safe:animate-spin" aria-hidden />
            ) : (
              <Undo2 size={15} aria-hidden />
            )}
          </IconButton>
        )}
      </div>
      {refused && (
        <div role="alert" className="flex flex-wrap items-center gap-2 px-4 pt-1 pb-2 text-sm">
          <p className="min-w-0 flex-1 basis-48 text-care">{refused}</p>
          <Tip text={changes.forceHint}>
            <Button small kind="danger" busy={busy} onClick={() => onRevert(true)}>
              {changes.force}
            </Button>
          </Tip>
        </div>
      )}
      <div id={id} hidden={!open}>
        {open && <Shown change={change} />}
      </div>
    </li>
  );
}

function State({ change: { now, mixed, imported } }: { change: Change }) {
  const { changes } = texts.beside;
  const here = now === "left" ? (mixed ? "mixed" : "") : now;
  const word = imported ? "imported" : here;
  if (!word) return null;
  const hint = word === "undone" ? "" : changes[`${word}Hint`];
  return (
    <span title={hint} className={`shrink-0 text-xs ${word === "undone" ? "text-ink-3" : "text-care"}`}>
      {changes[word]}
    </span>
  );
}

/** +4 −2, and nothing where there are no lines. */
export function Counts({ of: { added, removed } }: { of: Pick<Change, "added" | "removed"> }) {
  const { changes } = texts.beside;
  if (added === null || removed === null)
    return <span className="shrink-0 text-xs text-ink-3">{changes.binary}</span>;
  return (
    <span
      title={changes.lines(added, removed)}
      className="inline-flex shrink-0 gap-1 font-mono text-xs tabular-nums"
    >
      {added > 0 && <span className="text-good">+{added}</span>}
      {removed > 0 && <span className="text-bad">−{removed}</span>}
    </span>
  );
}

function Shown({ change: { path, after } }: { change: Change }) {
  const { sessionId } = useSession();
  const { data, error } = useAnswer(
    ["changes", sessionId, "diff", path, after],
    ({ http }, signal) =>
      http.get("/api/sessions/{session_id}/changes/diff", {
        path: { session_id: sessionId },
        query: { path },
        signal,
      }),
    { stale: 60_000 },
  );
  const { beside, ui } = texts;
  if (!data) return <p className="px-4 py-2 text-sm text-ink-3">{error ? error.message : ui.loading}</p>;
  if (!data.text) return <p className="px-4 py-2 text-sm text-ink-3">{beside.changes.noDiff}</p>;
  return (
    <div className="px-2 pb-2">
      <Diff diff={data.text} path={path} />
      {data.cut && <p className="px-2 pt-1 text-xs text-ink-3">{beside.changes.cut}</p>}
    </div>
  );
}
