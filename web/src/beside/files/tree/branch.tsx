/** The entries of one folder in the tree, each followed by its own entries while it is open: one list, with levels. */
import { useState } from "react";
import { useAnswer } from "../../../studio/context.js";
import { texts } from "../../../texts/texts.js";
import type { Item } from "../disk.js";
import { Row } from "./row.js";
import type { Looking } from "./tree.js";

export function Branch({ path, level, looking }: { path: string; level: number; looking: Looking }) {
  const [starts, setStarts] = useState([0]);
  return (
    <>
      {starts.map((start) => (
        <Part
          key={start}
          path={path}
          start={start}
          level={level}
          looking={looking}
          onMore={start === starts.at(-1) ? (next) => setStarts([...starts, next]) : null}
        />
      ))}
    </>
  );
}

interface PartProps {
  path: string;
  start: number;
  level: number;
  looking: Looking;
  onMore: ((start: number) => void) | null;
}

/** A page of them. */
function Part({ path, start, level, looking, onMore }: PartProps) {
  const { disk } = looking;
  const { data, error, refetch } = useAnswer(["files", disk.projectId, path, start], (_, signal) =>
    disk.list(path, start, signal),
  );
  const { files } = texts.beside;
  const say = (text: string, act?: () => void) => <Line text={text} level={level} act={act} />;
  if (!data)
    return error ? say(`${error.message} ${texts.ui.again}`, () => void refetch()) : say(texts.ui.loading);
  const { entries, next, total, whole } = data;
  return (
    <>
      {entries.map((item) => (
        <Entry key={item.name} item={item} level={level} looking={looking} />
      ))}
      {!entries.length && say(level === 1 ? `${files.empty} ${files.emptyHint}` : files.empty)}
      {next !== null && onMore && say(files.moreEntries(total - next), () => onMore(next))}
      {!whole && onMore && say(files.notListed)}
    </>
  );
}

/** A word between the entries; one that can be pressed is a row like they are. */
function Line({ text, level, act }: { text: string; level: number; act?: (() => void) | undefined }) {
  const place = { paddingLeft: level * 12 + 12 };
  const look = "flex min-h-7 items-center py-1 pr-2 text-sm max-mid:min-h-11";
  if (!act)
    return (
      <div role="none" style={place} className={`${look} text-ink-3`}>
        {text}
      </div>
    );
  return (
    <div
      role="treeitem"
      aria-level={level}
      aria-selected={false}
      data-path=""
      tabIndex={-1}
      style={place}
      onClick={act}
      onKeyDown={(event) => (event.key === "Enter" || event.key === " ") && act()}
      className={`${look} cursor-default text-accent -outline-offset-2 hover:bg-sunken`}
    >
      {text}
    </div>
  );
}

function Entry({ item, level, looking }: { item: Item; level: number; looking: Looking }) {
  const open = item.kind === "folder" && looking.expanded.has(item.path);
  return (
    <>
      <Row item={item} level={level} open={open} looking={looking} />
      {open && <Branch path={item.path} level={level + 1} looking={looking} />}
    </>
  );
}
