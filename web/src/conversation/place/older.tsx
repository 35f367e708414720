/** The upper end of what is loaded: older pages come before the reader gets there. */
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { useSession, useTranscript } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";

/** Pixels before the upper end at which the next page is asked for. */
const AHEAD = "1200px 0px 0px 0px";

export function Older({ box }: { box: RefObject<HTMLElement | null> }) {
  const words = texts.conversation;
  const store = useSession();
  const { first } = useTranscript();
  const more = useWatch(store.more);
  const [failed, setFailed] = useState(false);
  const mark = useRef<HTMLDivElement>(null);
  const load = useCallback(() => {
    setFailed(false);
    store.older().catch(() => setFailed(true));
  }, [store]);
  // Watched anew after each page: one that did not fill the screen is followed by the next.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `first` changes with each page
  useEffect(() => {
    const element = mark.current;
    if (!element || !more || failed) return;
    const watch = new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && load(), {
      root: box.current,
      rootMargin: AHEAD,
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, [more, failed, load, box, first]);
  if (!more) return null;
  return (
    <div ref={mark} className="flex h-10 items-center justify-center gap-3 text-xs text-ink-3">
      {failed ? (
        <>
          {words.olderFailed}
          <Button small onClick={load}>
            {texts.ui.again}
          </Button>
        </>
      ) : (
        words.older
      )}
    </div>
  );
}
