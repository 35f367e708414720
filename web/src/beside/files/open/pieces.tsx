/** A file that is too large to edit: read a piece at a time, as far as one wants to. */
import { useState } from "react";
import { bytes } from "../../../texts/figures.js";
import { texts } from "../../../texts/texts.js";
import { Button } from "../../../ui/button.js";
import { sayProblem } from "../../../ui/toasts.js";
import type { Disk, File } from "../disk.js";

export function Pieces({ disk, first }: { disk: Disk; first: File }) {
  const { files } = texts.beside;
  const [pieces, setPieces] = useState([first]);
  const [busy, setBusy] = useState(false);
  const last = pieces.at(-1) ?? first;
  const more = async () => {
    setBusy(true);
    try {
      const next = await disk.read(first.path, last.next);
      setPieces([...pieces, next]);
    } catch (error) {
      sayProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <p className="sticky top-0 left-0 border-b border-line bg-surface px-3 py-1.5 text-xs text-ink-2">
        {files.large(bytes(first.size))}
      </p>
      {pieces.map(({ offset, content }) => (
        <pre key={offset} className="px-3 font-mono text-sm [content-visibility:auto]">
          {content}
        </pre>
      ))}
      {last.next < last.size && (
        <div className="sticky left-0 p-3">
          <Button busy={busy} onClick={() => void more()}>
            {files.nextPiece}
          </Button>
        </div>
      )}
    </div>
  );
}
