/** The way back to the end, with what has come since the reader left it. */
import { ArrowDown } from "lucide-react";
import { useRef } from "react";
import type { Transcript } from "../../session/shape.js";
import { texts } from "../../texts/texts.js";
import { Sign } from "../../ui/sign.js";

export function Jump({ view, onJump }: { view: Transcript; onJump(): void }) {
  const words = texts.conversation;
  const steps = stepsOf(view);
  const left = useRef({ steps, first: view.first });
  // Older pages are not new.
  if (left.current.first !== view.first) left.current = { steps, first: view.first };
  const fresh = Math.max(0, steps - left.current.steps);
  return (
    <button
      type="button"
      onClick={onJump}
      className="absolute bottom-3 left-1/2 z-10 flex h-8 -translate-x-1/2 items-center gap-2 rounded-full border border-edge bg-surface px-3 text-sm font-medium shadow-float hover:bg-sunken max-mid:h-11"
    >
      <ArrowDown size={14} aria-hidden />
      {words.jump}
      {view.asks.length > 0 ? (
        <span className="flex items-center gap-1 text-xs text-care">
          <Sign of="waiting" quiet />
          {words.jumpWaiting}
        </span>
      ) : (
        fresh > 0 && <span className="text-xs font-normal text-ink-2">{words.jumpNew(fresh)}</span>
      )}
    </button>
  );
}

/** How many things were said or done. */
function stepsOf(view: Transcript): number {
  return view.items.reduce((all, item) => all + (item.kind === "exchange" ? item.parts.length + 1 : 1), 0);
}
