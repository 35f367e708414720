/** One prompt that waits. Alt and an arrow move it; so do its buttons. */
import { ChevronDown, ChevronUp, CornerUpRight, Pencil, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef } from "react";
import type { MediaBlock, Queued } from "../../session/shape.js";
import { enterMeans } from "../../studio/enter.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { IconButton } from "../../ui/icon-button.js";
import { mediaOf, wordsOf } from "./words.js";

export interface Edited {
  messageId: string;
  before: string;
  text: string;
  /** What comes with it still. */
  media: MediaBlock[];
}

interface Props {
  item: Queued;
  first: boolean;
  last: boolean;
  edited: Edited | null;
  onEdit(edited: Edited | null): void;
  onSave(edited: Edited): void;
  onMove(by: 1 | -1): void;
  onRemove(): void;
  onSteer(): void;
}

export function QueuedRow({ item, first, last, edited, onEdit, onSave, onMove, onRemove, onSteer }: Props) {
  const { composer } = texts;
  const row = useRef<HTMLLIElement>(null);
  const text = wordsOf(item.content);
  const media = mediaOf(item.content);
  // A row that was moved keeps the focus that it had.
  const held = useRef<string | null>(null);
  useEffect(() => {
    if (!held.current) return;
    const button = row.current?.querySelector<HTMLButtonElement>(`[data-do="${held.current}"]:enabled`);
    (button ?? row.current?.querySelector<HTMLButtonElement>("button:enabled"))?.focus();
    held.current = null;
  });
  const move = (by: 1 | -1) => {
    held.current = by < 0 ? "up" : "down";
    onMove(by);
  };
  const keyDown = (event: KeyboardEvent) => {
    const by = event.altKey ? ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key] : undefined;
    if (!by) return;
    event.preventDefault();
    move(by);
  };
  if (edited)
    return (
      <li>
        <Editor edited={edited} onEdit={onEdit} onSave={onSave} />
      </li>
    );
  return (
    <li
      ref={row}
      onKeyDown={keyDown}
      className="flex items-center gap-1 rounded-control pl-2 hover:bg-sunken focus-within:bg-sunken max-mid:flex-wrap"
    >
      {item.steer && <span className="shrink-0 text-xs font-medium text-note">{composer.steers}</span>}
      <span
        className="min-w-0 flex-1 truncate text-sm max-mid:basis-full max-mid:pt-2"
        title={text.slice(0, 1_000)}
      >
        {text.slice(0, 300) || composer.withFiles(media.length)}
      </span>
      {text && media.length > 0 && (
        <span className="text-xs text-ink-3">{composer.withFiles(media.length)}</span>
      )}
      {!item.steer && (
        <IconButton label={composer.steerNow} onClick={onSteer}>
          <CornerUpRight size={14} aria-hidden />
        </IconButton>
      )}
      <IconButton label={composer.up} data-do="up" disabled={first} onClick={() => move(-1)}>
        <ChevronUp size={14} aria-hidden />
      </IconButton>
      <IconButton label={composer.down} data-do="down" disabled={last} onClick={() => move(1)}>
        <ChevronDown size={14} aria-hidden />
      </IconButton>
      <IconButton
        label={composer.edit}
        onClick={() => onEdit({ messageId: item.messageId, before: text, text, media })}
      >
        <Pencil size={14} aria-hidden />
      </IconButton>
      <IconButton label={composer.remove} onClick={onRemove}>
        <X size={14} aria-hidden />
      </IconButton>
    </li>
  );
}

function Editor({ edited, onEdit, onSave }: Pick<Props, "onEdit" | "onSave"> & { edited: Edited }) {
  const { composer } = texts;
  const able = edited.text.trim() !== "" || edited.media.length > 0;
  const keyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") onEdit(null);
    else if (enterMeans(event)) able && onSave(edited);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="flex flex-col gap-1.5 p-1">
      <textarea
        // biome-ignore lint/a11y/noAutofocus: it was just asked for
        autoFocus
        aria-label={composer.editPrompt}
        value={edited.text}
        onChange={(event) => onEdit({ ...edited, text: event.target.value })}
        onKeyDown={keyDown}
        className="field-sizing-content max-h-[25dvh] min-h-8 w-full resize-none rounded-control border border-edge bg-surface px-2 py-1 text-sm outline-none focus:border-accent max-mid:text-lg"
      />
      <Attached media={edited.media} onKeep={(media) => onEdit({ ...edited, media })} />
      <div className="flex justify-end gap-1.5">
        <Button small kind="quiet" onClick={() => onEdit(null)}>
          {composer.cancel}
        </Button>
        <Button small disabled={!able} onClick={() => onSave(edited)}>
          {composer.save}
        </Button>
      </div>
    </div>
  );
}

/** What comes with the prompt, each to be taken off. */
function Attached({ media, onKeep }: { media: MediaBlock[]; onKeep(media: MediaBlock[]): void }) {
  const { composer } = texts;
  if (!media.length) return null;
  return (
    <ul aria-label={composer.attached} className="flex flex-wrap gap-1.5">
      {media.map((block, n) => {
        const name = block.name || composer.unnamed;
        return (
          <li
            key={`${n} ${name}`}
            className="flex max-w-64 items-center rounded-control border border-line bg-sunken pl-2 text-xs"
          >
            <span className="truncate">{name}</span>
            <IconButton
              label={composer.detach(name)}
              onClick={() => onKeep(media.filter((each) => each !== block))}
            >
              <X size={12} aria-hidden />
            </IconButton>
          </li>
        );
      })}
    </ul>
  );
}
