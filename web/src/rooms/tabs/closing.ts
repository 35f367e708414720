/** Close tabs, and take that back: what is closed stays in the list of sessions, and goes on if it works. */
import { useMemo } from "react";
import { useStudio } from "../../studio/context.js";
import type { Studio } from "../../studio/studio.js";
import { texts } from "../../texts/texts.js";
import { say, sayProblem } from "../../ui/toasts.js";

interface Closed {
  sessionId: string;
  place: number;
}

/** Those that were closed in this page, the last one at the end. */
const closed: Closed[] = [];

async function reopen(studio: Studio, which: Closed | undefined): Promise<void> {
  if (!which) return;
  const at = closed.indexOf(which);
  if (at >= 0) closed.splice(at, 1);
  const opening = studio.openSession(which.sessionId);
  // It is in the row already, at its end: it goes where it was at once.
  const { active, list } = studio.tabs.value;
  studio.moveTab(active, Math.min(which.place, list.length - 1));
  await opening;
}

export function useClosing() {
  const studio = useStudio();
  return useMemo(() => {
    const close = (id: string, title: string) => {
      const tab = studio.tab(id);
      if (!tab) return;
      const which = { sessionId: tab.store.sessionId, place: studio.tabs.value.list.indexOf(tab) };
      const runs = tab.store.view.value.status !== "idle";
      const lasting = tab.store.state.value !== "gone";
      studio.closeTab(id).catch(sayProblem);
      if (!lasting) return;
      closed.push(which);
      const { rooms } = texts;
      say(runs ? rooms.closedRunning(title) : rooms.closed(title), {
        undo: () => void reopen(studio, which).catch(sayProblem),
      });
    };
    return { close, reopen: () => void reopen(studio, closed.at(-1)).catch(sayProblem) };
  }, [studio]);
}
