/** Exactly what will run: whatever can't be seen, or is not what it looks like, is marked and named. */
import { memo, useMemo, useState } from "react";
import { texts } from "../texts/texts.js";
import { Clipped, clip } from "./code/clip.js";
import { useCut } from "./cut.js";
import { codeOf, type Part, partsOf } from "./plain-characters.js";
import "./prose.css";

interface PlainlyProps {
  text: string;
  /** Inside a line of text instead of in a block of its own. */
  inline?: boolean;
}

export const Plainly = memo(function Plainly({ text, inline = false }: PlainlyProps) {
  const [room, setRoom] = useState(1);
  const cut = useMemo(() => clip(text, room), [text, room]);
  const parts = useMemo(() => partsOf(cut.text), [cut.text]);
  useCut(cut.left > 0);
  const odd = parts.filter(({ kind }) => kind !== "text" && kind !== "trailing").length;
  const shown = parts.map((part, n) => <PartView key={n} part={part} />);
  if (inline)
    return (
      <bdi className="font-mono whitespace-pre-wrap wrap-anywhere" dir="ltr">
        {shown}
        {cut.left > 0 && (
          <button type="button" className="prose-rest" onClick={() => setRoom(room * 4)}>
            {texts.prose.moreCharacters(text.length - cut.text.length)}
          </button>
        )}
      </bdi>
    );
  return (
    <div className="prose-plainly">
      <pre dir="ltr">{shown}</pre>
      <Clipped cut={cut} room={room} onRoom={setRoom} />
      {odd > 0 && <p className="prose-odd">{texts.prose.suspicious(odd)}</p>}
    </div>
  );
});

export function PartView({ part }: { part: Part }) {
  switch (part.kind) {
    case "text":
      return part.text;
    case "hidden": {
      const code = codeOf(part.point);
      return (
        <mark className="prose-hidden" title={texts.prose.hidden(part.name, code)}>
          {code}
          {part.times > 1 && ` ×${part.times}`}
          <span className="sr-only"> {part.name}</span>
        </mark>
      );
    }
    case "mixed":
      return (
        <mark className="prose-mixed" title={texts.prose.mixed(part.text, part.scripts)}>
          {part.text}
          <span className="prose-hidden">{texts.prose.mixedSign}</span>
        </mark>
      );
    case "gap":
      return (
        <>
          {part.of === "lines" && "\n"}
          <mark className="prose-hidden" title={texts.prose.leftOut}>
            {part.of === "lines" ? texts.prose.emptyLines(part.times) : texts.prose.spaces(part.times)}
            {!!part.hidden && texts.prose.withHidden(part.hidden)}
          </mark>
          {part.of === "lines" && "\n"}
        </>
      );
    case "trailing":
      return (
        <span className="prose-trailing" title={texts.prose.trailing(part.text.length)}>
          {part.text.replaceAll(" ", "·").replaceAll("\t", "⇥")}
        </span>
      );
  }
}
