/** State as a word and a shape, never only a colour. */
import { Check, Circle, CircleDot, CircleHelp, CircleSlash, LoaderCircle, TriangleAlert } from "lucide-react";
import { texts } from "../texts/texts.js";

export type SignOf = "idle" | "new" | "queued" | "working" | "waiting" | "done" | "failed" | "stopped";

const SIGNS = {
  idle: [Circle, "text-ink-3"],
  new: [CircleDot, "text-accent"],
  queued: [Circle, "text-note"],
  working: [LoaderCircle, "text-accent motion-safe:animate-spin"],
  waiting: [CircleHelp, "text-care"],
  done: [Check, "text-good"],
  failed: [TriangleAlert, "text-bad"],
  stopped: [CircleSlash, "text-ink-3"],
} as const;

export function Sign({ of, size = 14, quiet }: { of: SignOf; size?: number; quiet?: boolean }) {
  const [Icon, colour] = SIGNS[of];
  return (
    <span className={`inline-flex shrink-0 ${colour}`} title={texts.ui.signs[of]}>
      <Icon size={size} aria-hidden />
      {!quiet && <span className="sr-only">{texts.ui.signs[of]}</span>}
    </span>
  );
}
