/** What this browser keeps for the person, as a state of a view. */
import { useCallback, useState } from "react";
import { keep, kept } from "../api/kept.js";

export { keep, kept } from "../api/kept.js";

/** A state that comes back after the page was loaded again. */
export function useKept<T>(name: string, otherwise: T): [T, (next: T) => void] {
  const [value, setValue] = useState<T>(() => kept(name, otherwise));
  const set = useCallback(
    (next: T) => {
      setValue(next);
      keep(name, next);
    },
    [name],
  );
  return [value, set];
}
