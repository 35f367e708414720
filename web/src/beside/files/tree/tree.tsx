/**
 * The tree of a project's files: a folder is read when it is opened. Arrows, Home, End, Enter and letters move in it, as
 * in every tree; one row at a time is in the tab order.
 */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useKept } from "../../../studio/kept.js";
import { texts } from "../../../texts/texts.js";
import type { Place } from "../../place.js";
import type { Disk, Item } from "../disk.js";
import { Branch } from "./branch.js";

export interface TreeActs {
  open(path: string): void;
  rename(item: Item): void;
  remove(item: Item): void;
  add(kind: "file" | "folder", folder: string): void;
  upload(folder: string, files: FileList): void;
}

export interface Looking extends TreeActs {
  disk: Disk;
  /** The row that keys act on. */
  at: string;
  shown: string;
  expanded: ReadonlySet<string>;
  toggle(path: string, open?: boolean): void;
  stand(path: string): void;
}

interface Props extends TreeActs {
  disk: Disk;
  place: Place;
  shown: string;
}

export function Tree({ disk, place, shown, ...acts }: Props) {
  const [kept, setKept] = useKept<string[]>(`tree.${place.projectId}`, parents(place.container));
  const expanded = new Set(kept);
  const [at, stand] = useState(shown);
  // A file that is opened from elsewhere is seen in the tree.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each file: its folders may be closed again
  useEffect(() => {
    const above = parents(shown.slice(0, Math.max(0, shown.lastIndexOf("/"))));
    if (above.some((path) => !kept.includes(path))) setKept([...new Set([...kept, ...above])]);
    if (shown) stand(shown);
  }, [shown]);
  const root = useRef<HTMLDivElement>(null);
  const toggle = (path: string, open?: boolean) => {
    const next = new Set(expanded);
    if (open ?? !next.has(path)) next.add(path);
    else next.delete(path);
    setKept([...next]);
  };
  const looking: Looking = { ...acts, disk, at, shown, expanded, toggle, stand };
  return (
    <div
      ref={root}
      role="tree"
      aria-label={texts.beside.files.tree(place.name)}
      onKeyDown={(event) => moved(event, root.current, toggle)}
      className="min-h-0 flex-1 overflow-auto py-1"
    >
      <Branch path="" level={1} looking={looking} />
    </div>
  );
}

/** `a/b/c` is in `a` and in `a/b`; all three are opened. */
function parents(path: string): string[] {
  const names = path ? path.split("/") : [];
  return names.map((_, n) => names.slice(0, n + 1).join("/"));
}

type Toggle = (path: string, open?: boolean) => void;

function moved(event: KeyboardEvent, root: HTMLElement | null, toggle: Toggle): void {
  const row = event.target as HTMLElement;
  if (!root || row.role !== "treeitem" || event.altKey || event.ctrlKey || event.metaKey) return;
  const rows = [...root.querySelectorAll<HTMLElement>('[role="treeitem"]')];
  const to = target(event.key, row, rows, toggle);
  if (to === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  to?.focus();
}

/** The row to go to; null: stay, something else was done; undefined: the key means nothing here. */
function target(key: string, row: HTMLElement, rows: HTMLElement[], toggle: Toggle) {
  const n = rows.indexOf(row);
  const path = row.dataset.path ?? "";
  const open = row.ariaExpanded;
  if (key === "ArrowDown") return rows[n + 1] ?? null;
  if (key === "ArrowUp") return rows[n - 1] ?? null;
  if (key === "Home") return rows[0] ?? null;
  if (key === "End") return rows.at(-1) ?? null;
  if (key === "ArrowRight" && open === "true") return rows[n + 1] ?? null;
  if (key === "ArrowRight" && open === "false") toggle(path, true);
  else if (key === "ArrowLeft" && open === "true") toggle(path, false);
  else if (key === "ArrowLeft")
    return rows.slice(0, n).findLast((each) => Number(each.ariaLevel) < Number(row.ariaLevel)) ?? null;
  else if (/^\S$/.test(key)) {
    const after = [...rows.slice(n + 1), ...rows.slice(0, n + 1)];
    return after.find((each) => each.dataset.name?.toLowerCase().startsWith(key.toLowerCase())) ?? null;
  } else return undefined;
  return null;
}
