/** Whether the page is out of sight. */
import { useSyncExternalStore } from "react";

export function useHidden(): boolean {
  return useSyncExternalStore(
    (tell) => {
      document.addEventListener("visibilitychange", tell);
      return () => document.removeEventListener("visibilitychange", tell);
    },
    () => document.hidden,
  );
}
