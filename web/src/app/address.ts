/** The address of the page: which session is shown, or which page of the settings. A link to it opens the same. */
import { useEffect, useRef } from "react";
import { useLocation, useRoute } from "wouter";
import { useStudio } from "../studio/context.js";
import { useWatch } from "../studio/watch.js";

export type Page = { name: "session" } | { name: "settings"; part: string };

export function useAddress(): Page {
  const studio = useStudio();
  const [path, go] = useLocation();
  const [isSession, named] = useRoute("/sessions/:id");
  const [isSettings, settings] = useRoute("/settings/:part?");
  const ready = useWatch(studio.ready);
  const { active } = useWatch(studio.tabs);
  const shown = studio.tab(active)?.store.sessionId ?? "";
  const wanted = isSession ? named.id : "";

  // A link, or the way back, names a session: it is shown.
  useEffect(() => {
    if (ready && wanted && wanted !== studio.active?.store.sessionId) void studio.openSession(wanted);
  }, [ready, wanted, studio]);
  // Another tab is shown: the address follows, and leaves a link to a message behind. A link that is still on its way
  // is not overtaken by the tab that was shown before it.
  const before = useRef<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of what is shown moves the address
  useEffect(() => {
    if (!ready || isSettings) return;
    const same = before.current === null || before.current === shown;
    before.current = shown;
    if (same && wanted && wanted !== shown) return;
    const next = shown ? `/sessions/${shown}` : "/";
    if (next !== path) go(next, { replace: !shown });
  }, [ready, shown, isSettings, go]);
  return isSettings ? { name: "settings", part: settings.part ?? "" } : { name: "session" };
}
