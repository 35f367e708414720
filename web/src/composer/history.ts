/** What was said before, brought back by the arrows: this session's prompts, then those of others. */
import { useRef } from "react";
import type { SessionStore } from "../session/store.js";
import { keep, kept } from "../studio/kept.js";
import { wordsOf } from "./queue/words.js";

const MOST = 100;
const LONGEST = 4_000;

export interface History {
  /** The prompt before (-1) or after (1) the one that is shown; null: there is none. */
  step(by: 1 | -1, now: string): string | null;
  /** What is written is the person's own again. */
  leave(): void;
}

export function useHistory(store: SessionStore | null): History {
  const walk = useRef<{ list: string[]; at: number } | null>(null);
  return {
    step(by, now) {
      // The first step sets out from what is written, which the way back ends at.
      walk.current ??= { list: [now, ...past(store, now)], at: 0 };
      const { list, at } = walk.current;
      const next = list[at - by];
      if (next === undefined) {
        if (at === 0) walk.current = null;
        return null;
      }
      walk.current = at - by === 0 ? null : { list, at: at - by };
      return next;
    },
    leave() {
      walk.current = null;
    },
  };
}

/** Newest first, each once. */
function past(store: SessionStore | null, now: string): string[] {
  const here = (store?.view.value.items ?? [])
    .flatMap((item) => (item.kind === "exchange" ? [wordsOf(item.prompt)] : []))
    .reverse();
  return [...new Set([...here, ...kept<string[]>("history", [])])].filter((text) => text && text !== now);
}

export function remember(text: string): void {
  const said = text.trim();
  if (!said || said.length > LONGEST) return;
  const rest = kept<string[]>("history", []).filter((each) => each !== said);
  keep("history", [said, ...rest].slice(0, MOST));
}
