/** How one gets around: to a session, to a new one, to a page of the settings. The address says where one is. */
import { useMemo } from "react";
import { useLocation } from "wouter";
import { useStudio } from "../studio/context.js";
import { sayProblem } from "../ui/toasts.js";

export function useGoing() {
  const studio = useStudio();
  const [, go] = useLocation();
  return useMemo(
    () => ({
      /** Show a session, at the event with this index if one is named. */
      session(id: string, index = 0) {
        studio.openSession(id).catch(sayProblem);
        go(`/sessions/${id}${index ? `#event-${index}` : ""}`);
        // The address is changed without the browser's knowing: who follows it is told.
        if (index) dispatchEvent(new HashChangeEvent("hashchange"));
      },
      tab(id: string) {
        const tab = studio.tab(id);
        studio.show(id);
        go(tab ? `/sessions/${tab.store.sessionId}` : "/");
      },
      fresh() {
        studio.show("");
        go("/");
      },
      settings(part: string) {
        go(`/settings/${part}`);
      },
    }),
    [studio, go],
  );
}
