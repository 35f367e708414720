/** Whether buttons of asks take a press: not while asks have just come or gone, and others may lie where those were. */
import { useSyncExternalStore } from "react";

/** Milliseconds in which the second click of a double click comes. */
const DOUBLE = 500;

let held = false;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function become(now: boolean): void {
  held = now;
  for (const listener of listeners) listener();
}

/** No button of any ask takes a press for a moment. */
export function hold(): void {
  clearTimeout(timer);
  timer = setTimeout(() => become(false), DOUBLE);
  if (!held) become(true);
}

export function useHeld(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => held,
  );
}
