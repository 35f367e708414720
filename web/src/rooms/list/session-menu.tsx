/** What may be done with a session: rename, pin, archive, take along, delete. */
import { Archive, ArchiveRestore, Download, Ellipsis, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { useState } from "react";
import { useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { saveFrom } from "../../ui/download.js";
import { Menu, MenuItem, MenuLabel, MenuLine } from "../../ui/menu.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { DeleteSession } from "./delete-session.js";
import { type SessionRow, useTidying } from "./sessions.js";

const FORMATS = ["md", "html", "jsonl", "chat"] as const;

export function SessionMenu({ row, onRename }: { row: SessionRow; onRename(): void }) {
  const { rooms } = texts;
  const { change } = useTidying();
  const { http } = useStudio();
  const take = (format: (typeof FORMATS)[number]) =>
    saveFrom(
      http.address("/api/sessions/{session_id}/export", { path: { session_id: row.id }, query: { format } }),
    );
  const [deleting, setDeleting] = useState(false);
  const title = row.title || rooms.untitled;
  const archive = async () => {
    await change(row.id, { archived: !row.archived });
    const undo = () => void change(row.id, { archived: Boolean(row.archived) }).catch(sayProblem);
    say(row.archived ? rooms.unarchived(title) : rooms.archivedIt(title), { undo });
  };
  const button = (
    <button
      type="button"
      aria-label={rooms.more(title)}
      className="inline-flex size-7 shrink-0 items-center justify-center rounded-control text-ink-2 opacity-0 mid:absolute mid:right-0.5 group-focus-within:opacity-100 group-hover:opacity-100 hover:bg-line aria-expanded:opacity-100 max-mid:size-11 max-mid:opacity-100"
    >
      <Ellipsis size={16} aria-hidden />
    </button>
  );
  return (
    <>
      <Menu button={button} align="end">
        <MenuItem icon={<Pencil size={14} aria-hidden />} hint="F2" onSelect={() => setTimeout(onRename)}>
          {rooms.rename}
        </MenuItem>
        <MenuItem
          icon={row.pinned ? <PinOff size={14} aria-hidden /> : <Pin size={14} aria-hidden />}
          onSelect={() => void change(row.id, { pinned: !row.pinned }).catch(sayProblem)}
        >
          {row.pinned ? rooms.unpin : rooms.pin}
        </MenuItem>
        <MenuItem
          icon={row.archived ? <ArchiveRestore size={14} aria-hidden /> : <Archive size={14} aria-hidden />}
          onSelect={() => void archive().catch(sayProblem)}
        >
          {row.archived ? rooms.unarchive : rooms.archive}
        </MenuItem>
        <MenuLine />
        <MenuLabel>{rooms.export}</MenuLabel>
        {FORMATS.map((format) => (
          <MenuItem key={format} icon={<Download size={14} aria-hidden />} onSelect={() => take(format)}>
            {rooms.formats[format]}
          </MenuItem>
        ))}
        <MenuLine />
        <MenuItem danger icon={<Trash2 size={14} aria-hidden />} onSelect={() => setDeleting(true)}>
          {rooms.delete}
        </MenuItem>
      </Menu>
      {deleting && <DeleteSession row={row} onClose={() => setDeleting(false)} />}
    </>
  );
}
