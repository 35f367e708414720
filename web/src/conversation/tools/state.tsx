/** How a call stands: a word and a shape. What is done needs no word. */
import {
  Check,
  CircleAlert,
  CircleDashed,
  CircleHelp,
  CircleSlash,
  LoaderCircle,
  type LucideIcon,
  TriangleAlert,
  Unplug,
} from "lucide-react";
import type { ToolState } from "../../session/shape.js";
import { texts } from "../../texts/texts.js";

const STATES: Record<ToolState, [LucideIcon, string]> = {
  writing: [LoaderCircle, "text-ink-3 motion-safe:animate-spin"],
  planned: [CircleDashed, "text-ink-3"],
  asking: [CircleHelp, "text-care"],
  running: [LoaderCircle, "text-accent motion-safe:animate-spin"],
  done: [Check, "text-good"],
  failed: [TriangleAlert, "text-bad"],
  denied: [CircleSlash, "text-ink-2"],
  interrupted: [Unplug, "text-care"],
};

const ENDED: [LucideIcon, string] = [CircleAlert, "text-care"];

/** `ended`: it is done, but did not end well, which stands beside it. */
export function State({ of, ended = false }: { of: ToolState; ended?: boolean }) {
  const [Icon, colour] = of === "done" && ended ? ENDED : STATES[of];
  const word = texts.conversation.tools.states[of];
  const quiet = of === "done";
  return (
    <span className={`inline-flex shrink-0 items-center gap-1 text-xs ${colour}`}>
      <span className={quiet ? "sr-only" : "max-mid:sr-only"}>{word}</span>
      <Icon size={14} aria-hidden />
    </span>
  );
}
