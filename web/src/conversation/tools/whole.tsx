/** The whole of an output whose middle was left out: read in pieces, as far as somebody wants to see it. */
import { useEffect, useRef, useState } from "react";
import { Ansi } from "../../prose/ansi.js";
import { useSession, useStudio } from "../../studio/context.js";
import { bytes } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { ProblemBox } from "../../ui/problem.js";
import { blobPath, outputPath, type Piece, pieceOf } from "./blob.js";

/** Lines of a piece that are drawn at once. */
const PAGE = 4_000;

export function Whole({ blob, outputId }: { blob: string; outputId: string }) {
  const words = texts.conversation.tools;
  const studio = useStudio();
  const { sessionId } = useSession();
  const [open, setOpen] = useState(false);
  if (!blob && !outputId) return null;
  const path = outputId
    ? outputPath(studio.root, sessionId, outputId)
    : blobPath(studio.root, sessionId, blob);
  return (
    <>
      <Button small kind="quiet" onClick={() => setOpen(true)}>
        {words.whole}
      </Button>
      <Dialog title={words.wholeTitle} open={open} onClose={() => setOpen(false)} wide>
        <Pieces path={path} />
      </Dialog>
    </>
  );
}

function Pieces({ path }: { path: string }) {
  const words = texts.conversation.tools;
  const [read, setRead] = useState({ pieces: [] as string[], half: "", next: 0, size: -1 });
  const [state, setState] = useState<"idle" | "busy" | "failed">("idle");
  const more = async () => {
    setState("busy");
    try {
      const piece = await pieceOf(path, read.next);
      const gap = piece.start > read.next ? [words.wholeGap(bytes(piece.start - read.next))] : [];
      const [lines, half] = halved(read.half, gap, piece);
      setRead({ pieces: [...read.pieces, ...lines], half, next: piece.next, size: piece.size });
      setState("idle");
    } catch {
      setState("failed");
    }
  };
  const begin = useRef(more);
  useEffect(() => void begin.current(), []);
  if (state === "failed")
    return <ProblemBox title={words.wholeGone} action={{ label: texts.ui.again, run: () => void more() }} />;
  const done = read.size >= 0 && read.next >= read.size;
  return (
    <div className="flex flex-col gap-3">
      <div>
        {read.pieces.map((piece, n) => (
          <Ansi key={n} text={piece} lines={PAGE} />
        ))}
      </div>
      <div className="flex items-center gap-3 text-xs text-ink-2">
        {done ? (
          words.wholeAll(bytes(read.size))
        ) : (
          <Button busy={state === "busy"} onClick={() => void more()}>
            {words.wholeMore(bytes(read.next), bytes(Math.max(read.size, 0)))}
          </Button>
        )}
        <a className="text-accent underline" href={`${path}?download=true`} download>
          {words.download}
        </a>
      </div>
    </div>
  );
}

/** The lines that are whole now, and the beginning of one whose end is in the next piece. */
function halved(half: string, gap: string[], { text, next, size }: Piece): [string[], string] {
  const joined = gap.length ? text : half + text;
  const end = next >= size ? joined.length : joined.lastIndexOf("\n") + 1 || joined.length;
  const before = gap.length && half ? [half, ...gap] : gap;
  return [[...before, joined.slice(0, end).replace(/\n$/, "")], joined.slice(end)];
}
