/** Whether the page is narrower than so many pixels. */
import { useSyncExternalStore } from "react";

/** Narrower than this there is one column. */
const ONE_COLUMN = 720;

export function useNarrow(below: number = ONE_COLUMN): boolean {
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
