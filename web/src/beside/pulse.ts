/**
 * When to look again: after each result of a tool and each end of an exchange, when this page changed files by itself,
 * and when it is looked at again.
 */
import { useContext, useEffect, useRef } from "react";
import { EMPTY, type Transcript } from "../session/shape.js";
import { SessionContext } from "../studio/context.js";
import { useWatch, Watch } from "../studio/watch.js";

const NOTHING = new Watch<Transcript>(EMPTY);

/** The transcript of the session around, or an empty one where there is none. */
function useMaybeTranscript(): Transcript {
  return useWatch(useContext(SessionContext)?.view ?? NOTHING);
}

function pulseOf({ items, running }: Transcript): string {
  let results = 0;
  let compactions = 0;
  for (const item of items) {
    if (item.kind === "compaction") compactions += item.undone ? 2 : 1;
    if (item.kind !== "exchange") continue;
    for (const part of item.parts) if (part.kind === "tool" && part.result) results++;
  }
  return `${running}|${results}|${compactions}`;
}

export function usePulse(): string {
  return pulseOf(useMaybeTranscript());
}

/** Said on the window when this page changed files by itself: whoever shows them looks again. */
const FILES_CHANGED = "bottega-files-changed";

export const filesChanged = () => void dispatchEvent(new Event(FILES_CHANGED));

/** Run it after each beat, but not at first; when files were changed here; and when the page is looked at again. */
export function useEachPulse(run: () => void): void {
  const pulse = usePulse();
  const last = useRef(pulse);
  const current = useRef(run);
  current.current = run;
  useEffect(() => {
    if (last.current !== pulse) current.current();
    last.current = pulse;
  }, [pulse]);
  useEffect(() => {
    const look = () => current.current();
    const why = ["focus", FILES_CHANGED];
    for (const each of why) addEventListener(each, look);
    return () => {
      for (const each of why) removeEventListener(each, look);
    };
  }, []);
}
