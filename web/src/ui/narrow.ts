/** Whether the page is narrower than that. */
import { useSyncExternalStore } from "react";

export function useNarrow(below: number): boolean {
  const query = `(max-width: ${below - 1}px)`;
  return useSyncExternalStore(
    (tell) => {
      const media = matchMedia(query);
      media.addEventListener("change", tell);
      return () => media.removeEventListener("change", tell);
    },
    () => matchMedia(query).matches,
  );
}
