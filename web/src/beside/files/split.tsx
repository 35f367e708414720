/** Two parts with an edge between them that can be moved: above each other, or side by side where there is room. */
import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useKept } from "../../studio/kept.js";
import { texts } from "../../texts/texts.js";

/** From this width on they stand side by side. */
const ROOM = 620;
const [LEAST, MOST] = [15, 80];

export function Split({ first, second }: { first: ReactNode; second: ReactNode }) {
  const around = useRef<HTMLDivElement>(null);
  const [wide, setWide] = useState(false);
  const [above, setAbove] = useKept("files.above", 38);
  const [left, setLeft] = useKept("files.left", 34);
  useEffect(() => {
    const seen = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) >= ROOM));
    if (around.current) seen.observe(around.current);
    return () => seen.disconnect();
  }, []);
  const share = wide ? left : above;
  const set = (next: number) => {
    const bounded = Math.round(Math.min(MOST, Math.max(LEAST, next)));
    if (wide) setLeft(bounded);
    else setAbove(bounded);
  };
  const drag = (event: PointerEvent) => {
    if (!(event.buttons & 1) || !around.current) return;
    const box = around.current.getBoundingClientRect();
    const at = wide ? (event.clientX - box.left) / box.width : (event.clientY - box.top) / box.height;
    set(at * 100);
  };
  const step: Record<string, number> = wide
    ? { ArrowLeft: -4, ArrowRight: 4 }
    : { ArrowUp: -4, ArrowDown: 4 };
  return (
    <div ref={around} className={`flex min-h-0 flex-1 ${wide ? "flex-row" : "flex-col"}`}>
      <div style={{ flexBasis: `${share}%` }} className="flex min-h-0 min-w-0 shrink-0 grow-0 flex-col">
        {first}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a separator that is moved is no <hr> */}
      <div
        role="separator"
        aria-label={texts.beside.files.divide}
        aria-orientation={wide ? "vertical" : "horizontal"}
        aria-valuenow={share}
        aria-valuemin={LEAST}
        aria-valuemax={MOST}
        tabIndex={0}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={(event) => {
          const by = step[event.key];
          if (by) {
            event.preventDefault();
            set(share + by);
          }
        }}
        className={`relative z-10 shrink-0 touch-none bg-line before:absolute hover:bg-accent ${wide ? "w-px cursor-col-resize before:inset-y-0 before:-left-1 before:w-2" : "h-px cursor-row-resize before:inset-x-0 before:-top-1 before:h-2 max-mid:before:-top-2 max-mid:before:h-4"}`}
      />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{second}</div>
    </div>
  );
}
