/** What goes with the prompt, each with its size; a text can be opened and changed, all can be taken off. */
import { FileText, Image, X } from "lucide-react";
import { useState } from "react";
import { bytes } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Dialog } from "../../ui/dialog.js";
import { TextField } from "../../ui/field.js";
import { IconButton } from "../../ui/icon-button.js";
import type { Piece } from "../piece.js";

interface Props {
  pieces: Piece[];
  onChange(piece: Piece): void;
  onRemove(id: string): void;
}

export function Chips({ pieces, onChange, onRemove }: Props) {
  const { composer } = texts;
  const [opened, setOpened] = useState("");
  const shown = pieces.find(({ id }) => id === opened);
  if (!pieces.length) return null;
  return (
    <>
      <ul
        aria-label={composer.attached}
        className="flex max-h-40 flex-wrap gap-1.5 overflow-y-auto px-2 pt-2 max-mid:max-h-28"
      >
        {pieces.map((piece) => (
          <Chip
            key={piece.id}
            piece={piece}
            onOpen={() => setOpened(piece.id)}
            onRemove={() => onRemove(piece.id)}
          />
        ))}
      </ul>
      {shown && (
        <Dialog
          open
          wide={shown.kind === "text" || shown.kind === "image"}
          title={nameOf(shown)}
          about={composer.editPiece}
          onClose={() => setOpened("")}
        >
          <Inside piece={shown} onChange={onChange} />
        </Dialog>
      )}
    </>
  );
}

function nameOf(piece: Piece): string {
  return piece.name || texts.composer.pasted;
}

function Chip({ piece, onOpen, onRemove }: { piece: Piece; onOpen(): void; onRemove(): void }) {
  const { composer } = texts;
  const name = nameOf(piece);
  return (
    <li className="flex max-w-64 items-center rounded-control border border-line bg-sunken">
      <button
        type="button"
        aria-label={`${composer.open(name)}, ${sizeOf(piece)}`}
        onClick={onOpen}
        className="flex h-8 min-w-0 items-center gap-1.5 pl-1.5 text-xs max-mid:h-11"
      >
        {piece.kind === "image" ? (
          <img alt="" src={sourceOf(piece)} className="size-6 shrink-0 rounded-[3px] object-cover" />
        ) : (
          <FileText size={14} className="shrink-0 text-ink-3" aria-hidden />
        )}
        <span className="truncate">{name}</span>
        <span className="shrink-0 text-ink-3">{sizeOf(piece)}</span>
      </button>
      <IconButton label={composer.detach(name)} onClick={onRemove}>
        <X size={12} aria-hidden />
      </IconButton>
    </li>
  );
}

function Inside({ piece, onChange }: { piece: Piece; onChange(piece: Piece): void }) {
  if (piece.kind === "text")
    return (
      <TextField
        bare
        label={nameOf(piece)}
        rows={18}
        spellCheck={false}
        defaultValue={piece.text}
        onBlur={(event) =>
          event.target.value !== piece.text && onChange({ ...piece, text: event.target.value })
        }
        className="font-mono text-sm"
      />
    );
  if (piece.kind === "image")
    return <img alt={piece.name} src={sourceOf(piece)} className="mx-auto max-h-[60dvh] max-w-full" />;
  return <Image size={32} aria-hidden className="mx-auto text-ink-3" />;
}

const sourceOf = (piece: { mediaType: string; data: string }) =>
  `data:${piece.mediaType};base64,${piece.data}`;

function sizeOf(piece: Piece): string {
  if (piece.kind !== "text") return bytes((piece.data.length / 4) * 3);
  let lines = 1;
  for (let at = piece.text.indexOf("\n"); at >= 0; at = piece.text.indexOf("\n", at + 1)) lines++;
  return texts.composer.lines(lines);
}
