/** A formula. KaTeX and its fonts come when the first one does; until then, and where it can't be read, its source
 * stands there. KaTeX makes elements itself (nothing is trusted: no links, no images, no styles of the author). */
import { useEffect, useRef, useState } from "react";
import { texts } from "../../texts/texts.js";

const LONGEST = 10_000;

export function Formula({ tex, display }: { tex: string; display: boolean }) {
  const place = useRef<HTMLSpanElement>(null);
  const [state, setState] = useState<"waits" | "drawn" | "failed">("waits");
  useEffect(() => {
    let here = true;
    if (tex.length > LONGEST) return setState("failed");
    void import("./katex.js").then(
      ({ draw }) => {
        if (here && place.current) setState(draw(tex, place.current, display) ? "drawn" : "failed");
      },
      () => here && setState("failed"),
    );
    return () => {
      here = false;
    };
  }, [tex, display]);
  const drawn = state === "drawn";
  return (
    <span className={display ? "prose-formula" : undefined}>
      <span ref={place} className={drawn ? undefined : "hidden"} />
      {!drawn && <code title={texts.prose.formula}>{tex}</code>}
    </span>
  );
}
