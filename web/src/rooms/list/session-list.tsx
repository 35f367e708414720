/** The sessions: those that are pinned, then the others under their days; more come as one goes on. */
import { useEffect, useMemo, useRef } from "react";
import { useRoute } from "wouter";
import { useStudio } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { ProblemBox } from "../../ui/problem.js";
import { byDay } from "./by-day.js";
import { Row } from "./session-row.js";
import { type SessionRow, usePinned, useSessions } from "./sessions.js";

interface Props {
  archived: boolean;
  /** Only those of this project; empty: all. */
  project: string;
  /** Only those whose title holds this. */
  words: string;
}

export function SessionList({ archived, project, words }: Props) {
  const all = useSessions(archived);
  const { data: pinned } = usePinned();
  const { rooms } = texts;
  const wanted = useMemo(() => filterOf(project, words), [project, words]);
  const fixed = archived ? [] : pinnedOf(all.rows, pinned?.sessions ?? []).filter(wanted);
  const rows = useMemo(
    () => all.rows.filter((row) => (archived || !row.pinned) && wanted(row)),
    [all.rows, archived, wanted],
  );
  const days = useMemo(() => byDay(rows), [rows]);
  if (all.error && !all.rows.length) {
    return (
      <div className="p-2">
        <ProblemBox
          title={rooms.listFailed}
          detail={all.error.message}
          action={{ label: texts.ui.again, run: all.again }}
        />
      </div>
    );
  }
  if (all.loading) return <Skeleton />;
  return (
    <>
      {fixed.length > 0 && <Group name={rooms.pinned} rows={fixed} />}
      {days.map((day) => (
        <Group key={day.key} name={day.name} rows={day.rows} />
      ))}
      {!rows.length && !fixed.length && !all.more && (
        <p className="px-4 py-3 text-sm text-ink-2">{emptyWords(archived, project, words)}</p>
      )}
      {all.more && <More busy={all.paging} load={all.loadMore} />}
    </>
  );
}

/** Those that are pinned: as the list has them, and old ones that it has not come to. */
function pinnedOf(rows: SessionRow[], found: SessionRow[]): SessionRow[] {
  const known = new Map(rows.map((row) => [row.id, row]));
  const old = found.filter((row) => row.pinned && !known.has(row.id));
  return [...rows.filter((row) => row.pinned), ...old];
}

function filterOf(project: string, words: string): (row: SessionRow) => boolean {
  const sought = words.trim().toLowerCase();
  return (row) =>
    (!project || row.project_id === project) && (!sought || row.title.toLowerCase().includes(sought));
}

function emptyWords(archived: boolean, project: string, words: string): string {
  const { rooms } = texts;
  if (words) return rooms.noTitle;
  if (archived) return rooms.noArchive;
  return project ? rooms.noneHere : rooms.none;
}

function Group({ name, rows }: { name: string; rows: SessionRow[] }) {
  const studio = useStudio();
  useWatch(studio.tabs);
  const [settings] = useRoute("/settings/:part?");
  const shown = settings ? "" : studio.active?.store.sessionId;
  return (
    <section aria-label={name} className="px-2 pb-2">
      <h2 className="px-2 pt-2 pb-1 text-xs font-medium text-ink-3">{name}</h2>
      <ul>
        {rows.map((row) => (
          <Row key={row.id} row={row} active={row.id === shown} />
        ))}
      </ul>
    </section>
  );
}

/** The end of what is loaded: more is asked for as soon as it is seen, or by a press. */
function More({ busy, load }: { busy: boolean; load(): void }) {
  const end = useRef<HTMLDivElement>(null);
  const current = useRef({ busy, load });
  current.current = { busy, load };
  useEffect(() => {
    if (!end.current || typeof IntersectionObserver === "undefined") return;
    const watcher = new IntersectionObserver(([seen]) => {
      if (seen?.isIntersecting && !current.current.busy) current.current.load();
    });
    watcher.observe(end.current);
    return () => watcher.disconnect();
  }, []);
  return (
    <div ref={end} className="px-2 pb-3">
      <Button kind="quiet" small busy={busy} onClick={load} className="w-full">
        {busy ? texts.ui.loading : texts.rooms.loadMore}
      </Button>
    </div>
  );
}

function Skeleton() {
  return (
    <div role="status" aria-label={texts.ui.loading} className="flex flex-col gap-3 px-4 py-4">
      {[70, 52, 84, 60, 76].map((width) => (
        <div key={width} style={{ width: `${width}%` }} className="h-3 rounded-control bg-sunken" />
      ))}
    </div>
  );
}
