/** One entry of the tree: a press opens it; what else can be done stands in its menu, and files can be dropped on it. */
import {
  ChevronRight,
  Download,
  Ellipsis,
  File,
  FilePlus,
  Folder,
  FolderOpen,
  FolderPlus,
  Link2,
  Pencil,
  Trash2,
} from "lucide-react";
import { type DragEvent, useEffect, useRef, useState } from "react";
import { useWatch } from "../../../studio/watch.js";
import { texts } from "../../../texts/texts.js";
import { saveFrom } from "../../../ui/download.js";
import { IconButton } from "../../../ui/icon-button.js";
import { Menu, MenuItem, MenuLine } from "../../../ui/menu.js";
import type { Item } from "../disk.js";
import { drafted, draftName } from "../drafts.js";
import type { Looking } from "./tree.js";

interface Props {
  item: Item;
  level: number;
  open: boolean;
  looking: Looking;
}

export function Row({ item, level, open, looking }: Props) {
  const { path, kind, name, ignored, target } = item;
  const { files } = texts.beside;
  const [over, setOver] = useState(false);
  const row = useRef<HTMLDivElement>(null);
  const shown = looking.shown === path;
  // Wherever it was opened from, and however little room the tree has then.
  useEffect(() => {
    if (shown) row.current?.scrollIntoView({ block: "nearest" });
  }, [shown]);
  const unsaved = useWatch(drafted).has(draftName(looking.disk.projectId, path));
  const here = looking.at === path || (!looking.at && level === 1);
  const press = () => {
    looking.stand(path);
    if (kind === "folder") looking.toggle(path);
    else if (path && (kind === "file" || kind === "link")) looking.open(path);
  };
  const into = kind === "folder" ? path : path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const dropped = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      event.stopPropagation();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      setOver(false);
      looking.upload(into, event.dataTransfer.files);
    },
  };
  return (
    <div
      role="treeitem"
      aria-level={level}
      aria-expanded={kind === "folder" ? open : undefined}
      aria-selected={shown}
      aria-label={[name, unsaved && files.unsaved, ignored && files.ignored].filter(Boolean).join(", ")}
      data-path={path}
      data-name={name}
      tabIndex={here ? 0 : -1}
      onFocus={(event) => event.target === event.currentTarget && looking.stand(path)}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return;
        if (event.key === "Enter" || event.key === " ") press();
        else if (event.key === "F2") looking.rename(item);
        else if (event.key === "Delete") looking.remove(item);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
      className="group/item outline-none"
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys act on the row itself */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys act on the row itself */}
      <div
        ref={row}
        onClick={press}
        {...dropped}
        title={kind === "link" ? files.link(target) : undefined}
        style={{ paddingLeft: level * 12 - 4 }}
        className={`group/row flex h-7 cursor-default items-center gap-1.5 pr-1 text-sm select-none hover:bg-sunken max-mid:h-11 ${shown ? "bg-sunken font-medium" : ""} ${over ? "outline-2 -outline-offset-2 outline-accent" : ""} ${here ? "group-focus-visible/item:outline-2 group-focus-visible/item:-outline-offset-2 group-focus-visible/item:outline-accent" : ""}`}
      >
        <ChevronRight
          size={14}
          aria-hidden
          className={`shrink-0 text-ink-3 ${kind === "folder" ? "" : "invisible"} ${open ? "rotate-90" : ""}`}
        />
        <Icon kind={kind} open={open} />
        <span className={`min-w-0 flex-1 truncate ${ignored ? "text-ink-3" : ""}`}>{name}</span>
        {unsaved && <span title={files.unsaved} className="size-1.5 shrink-0 rounded-full bg-care" />}
        {path && <More item={item} looking={looking} here={here} />}
      </div>
    </div>
  );
}

function Icon({ kind, open }: { kind: Item["kind"]; open: boolean }) {
  const Shape = kind === "folder" ? (open ? FolderOpen : Folder) : kind === "link" ? Link2 : File;
  return <Shape size={15} aria-hidden className="shrink-0 text-ink-3" />;
}

function More({ item, looking, here }: { item: Item; looking: Looking; here: boolean }) {
  const { files } = texts.beside;
  const folder = item.kind === "folder";
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only keeps presses in the menu from the row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the same
    <span onClick={(event) => event.stopPropagation()} className="flex">
      <Menu
        align="end"
        button={
          <IconButton
            label={files.menu(item.path)}
            tabIndex={here ? 0 : -1}
            className="size-6 opacity-0 group-hover/row:opacity-100 group-focus-within/item:opacity-100 focus:opacity-100 data-[state=open]:opacity-100 max-mid:opacity-100"
          >
            <Ellipsis size={15} aria-hidden />
          </IconButton>
        }
      >
        {folder && (
          <>
            <MenuItem
              icon={<FilePlus size={15} aria-hidden />}
              onSelect={() => looking.add("file", item.path)}
            >
              {files.newFile}
            </MenuItem>
            <MenuItem
              icon={<FolderPlus size={15} aria-hidden />}
              onSelect={() => looking.add("folder", item.path)}
            >
              {files.newFolder}
            </MenuItem>
            <MenuLine />
          </>
        )}
        <MenuItem icon={<Pencil size={15} aria-hidden />} hint="F2" onSelect={() => looking.rename(item)}>
          {files.rename}
        </MenuItem>
        {(folder || item.kind === "file") && (
          <MenuItem
            icon={<Download size={15} aria-hidden />}
            onSelect={() => saveFrom(looking.disk.address(item.path))}
          >
            {folder ? files.downloadFolder : files.download}
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem danger icon={<Trash2 size={15} aria-hidden />} onSelect={() => looking.remove(item)}>
          {files.remove}
        </MenuItem>
      </Menu>
    </span>
  );
}
