/** What leaves something out of a long text until somebody wants to see it says so to whoever has to know. */
import { createContext, useContext, useLayoutEffect } from "react";

/** Counts the places where something is left out. */
export const CutContext = createContext<((change: 1 | -1) => void) | null>(null);

export function useCut(isCut: boolean): void {
  const count = useContext(CutContext);
  useLayoutEffect(() => {
    if (!isCut || !count) return;
    count(1);
    return () => count(-1);
  }, [isCut, count]);
}
