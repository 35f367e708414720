/** Asks again whenever a mark is another one; what was answered before stands until then. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

export function useRenewed(key: readonly unknown[], mark: string): void {
  const queries = useQueryClient();
  const last = useRef(mark);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is made anew with each drawing
  useEffect(() => {
    if (last.current !== mark) void queries.invalidateQueries({ queryKey: key });
    last.current = mark;
  }, [mark]);
}
