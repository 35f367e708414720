/** Code as it was said: its language, colours, copy and wrap. Long code shows its beginning first. */
import { WrapText } from "lucide-react";
import { memo, useId, useMemo, useState } from "react";
import { useKept } from "../studio/kept.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Clipped, clip } from "./code/clip.js";
import { type Piece, Pieces } from "./code/pieces.js";
import { CopyButton } from "./copy.js";
import { MOST_PAINTED, usePainter } from "./highlight.js";
import { Scrolls } from "./scrolls.js";
import "./prose.css";

interface CodeProps {
  code: string;
  /** A name (`python`) or a path (`src/main.py`). */
  language?: string | undefined;
  /** The file that it is for, where that is known. */
  file?: string | undefined;
  /** More of it comes. */
  streaming?: boolean;
  /** Without the bar above it: only the code. */
  bare?: boolean;
}

export const Code = memo(function Code({ code, language, file, streaming = false, bare = false }: CodeProps) {
  const [wrap, setWrap] = useKept("prose.wrap", false);
  const label = useId();
  const name = language?.trim().split(/\s/)[0] || undefined;
  return (
    <figure className="prose-code" aria-labelledby={bare ? undefined : label} data-wrap={wrap || undefined}>
      {!bare && (
        <figcaption className="prose-bar">
          <span id={label} className="min-w-0 flex-1 truncate">
            <span className="sr-only">{texts.prose.code}: </span>
            {file ?? name ?? texts.prose.plain}
          </span>
          <Button
            small
            kind="quiet"
            aria-pressed={wrap}
            icon={<WrapText size={12} aria-hidden />}
            onClick={() => setWrap(!wrap)}
          >
            {texts.prose.wrap}
          </Button>
          <CopyButton text={code} />
        </figcaption>
      )}
      <Body code={code} language={name} streaming={streaming} />
    </figure>
  );
});

function Body({
  code,
  language,
  streaming,
}: {
  code: string;
  language: string | undefined;
  streaming: boolean;
}) {
  const [room, setRoom] = useState(1);
  const cut = useMemo(() => clip(code, room), [code, room]);
  const painter = usePainter(language, code.length <= MOST_PAINTED);
  const [pieces] = useState(() => new Pieces());
  const shown = pieces.read(cut.text, painter, !streaming);
  return (
    <>
      <Scrolls label={texts.prose.codeOf(language ?? texts.prose.plain)}>
        <code>
          {shown.map((piece) => (
            <PieceView key={piece.from} piece={piece} />
          ))}
        </code>
      </Scrolls>
      <Clipped cut={cut} room={room} onRoom={setRoom} />
    </>
  );
}

const PieceView = memo(function PieceView({ piece }: { piece: Piece }) {
  return piece.spans.map((span, n) =>
    span.className ? (
      <span key={n} className={span.className}>
        {span.text}
      </span>
    ) : (
      span.text
    ),
  );
});
