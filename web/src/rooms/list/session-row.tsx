/** One session in a list: its sign, its title (F2 renames it), when, and what may be done with it. */
import { type MouseEvent, memo, useState } from "react";
import { useStudio } from "../../studio/context.js";
import { ago, moment } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Sign } from "../../ui/sign.js";
import { sayProblem } from "../../ui/toasts.js";
import { useGoing } from "../going.js";
import { Rename } from "./rename.js";
import { useRowSign } from "./row-sign.js";
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
      <li>
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
        <time
          dateTime={new Date(row.updated_at).toISOString()}
          title={moment(row.updated_at)}
          className="shrink-0 pr-1 text-xs text-ink-3 tabular-nums mid:group-focus-within:opacity-0 mid:group-hover:opacity-0"
        >
          {ago(row.updated_at)}
        </time>
      </a>
      <SessionMenu row={row} onRename={() => setNaming(true)} />
    </li>
  );
});

function State({ row }: { row: SessionRow }) {
  const sign = useRowSign(row);
  return sign === "idle" ? <span className="w-3.5 shrink-0" /> : <Sign of={sign} />;
}
