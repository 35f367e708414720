/**
 * What is typed after a terminal was asked for and before it is there: it goes into that terminal, and nowhere else. Left
 * to the page, its letters would be keys of commands, and could end as a prompt.
 */
import { type KeyboardEvent, type RefObject, useMemo, useRef } from "react";

export interface Early {
  /** Holds the keyboard meanwhile. */
  box: RefObject<HTMLDivElement | null>;
  wait(): void;
  /** What was typed; nobody waits any more. */
  take(): string;
  onKeyDown(event: KeyboardEvent): void;
}

export function useEarly(): Early {
  const box = useRef<HTMLDivElement>(null);
  const typed = useRef<string | null>(null);
  return useMemo(
    () => ({
      box,
      wait() {
        typed.current = "";
        box.current?.focus();
      },
      take() {
        const text = typed.current ?? "";
        typed.current = null;
        return text;
      },
      onKeyDown(event) {
        const { key, ctrlKey, metaKey, altKey, target } = event;
        if (typed.current === null || target !== box.current || ctrlKey || metaKey || altKey) return;
        if (key.length === 1) typed.current += key;
        else if (key === "Enter") typed.current += "\r";
        else if (key === "Backspace") typed.current = typed.current.slice(0, -1);
        else return;
        event.preventDefault();
        event.stopPropagation();
      },
    }),
    [],
  );
}
