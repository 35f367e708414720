/** One session in a list: its sign, its title (F2 renames it), when, and what may be done with it. */
import { Pin } from "lucide-react";
import { type MouseEvent, memo, useState } from "react";
import { useStudio } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { ago, moment } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Sign } from "../../ui/sign.js";
import { sayProblem } from "../../ui/toasts.js";
import { useGoing } from "../going.js";
import { seen, signOf } from "../seen.js";
import { Rename } from "./rename.js";
import { SessionMenu } from "./session-menu.js";
import { type SessionRow, useTidying } from "./sessions.js";

export const Row = memo(function Row({ row, active }: { row: SessionRow; active: boolean }) {
  const studio = useStudio();
  const going = useGoing();
  const { change } = useTidying();
  const [naming, setNaming] = useState(false);
  const title = row.title || texts.rooms.untitled;
  const open = (event: MouseEvent) => {
    // With a key held, it is a link like any other.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    going.session(row.id);
  };
  if (naming) {
    return (
      <li className="px-1 py-0.5">
        <Rename
          title={row.title}
          onDone={(next) => {
            setNaming(false);
            if (next !== null && next !== row.title) change(row.id, { title: next }).catch(sayProblem);
          }}
        />
      </li>
    );
  }
  return (
    <li
      className={`group relative flex items-center rounded-control [contain-intrinsic-size:auto_32px] [content-visibility:auto] ${active ? "bg-sunken" : "hover:bg-sunken"}`}
    >
      <a
        href={`${studio.root}/sessions/${row.id}`}
        aria-current={active ? "page" : undefined}
        title={title}
        onClick={open}
        onKeyDown={(event) => event.key === "F2" && setNaming(true)}
        className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-control pr-1 pl-2 text-sm text-ink max-mid:h-11"
      >
        <State row={row} />
        <span className={`min-w-0 flex-1 truncate ${row.title ? "" : "text-ink-2"}`}>{title}</span>
        {row.pinned && <Pin size={12} className="shrink-0 text-ink-3" aria-label={texts.rooms.pinned} />}
        <time
          dateTime={new Date(row.updated_at).toISOString()}
          title={moment(row.updated_at)}
          className="shrink-0 text-xs text-ink-3 tabular-nums"
        >
          {ago(row.updated_at)}
        </time>
      </a>
      <SessionMenu row={row} onRename={() => setNaming(true)} />
    </li>
  );
});

function State({ row }: { row: SessionRow }) {
  const looked = useWatch(seen);
  const { id, status, last_index, updated_at, outcome = "" } = row;
  const sign = signOf({ id, status, outcome, last: last_index, at: updated_at }, looked);
  return sign === "idle" ? <span className="w-3.5 shrink-0" /> : <Sign of={sign} />;
}
