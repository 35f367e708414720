/**
 * What is written and not sent, one draft for each session, kept by this browser over reloads.
 *
 * It is written a moment after the last key, and at once when the page goes. What is too large to keep (pictures) is
 * forgotten with the page; the words are not.
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { keep, kept } from "../studio/kept.js";
import type { Draft } from "./piece.js";

const PAUSE = 300;
/** Characters of one draft, and drafts, that are kept. */
const LARGEST = 400_000;
const MOST_DRAFTS = 40;

export interface Writing {
  draft: Draft;
  /** As of now, in whatever is still on its way. */
  now(): Draft;
  change(next: (draft: Draft) => Draft): void;
}

export function useDraft(name: string): Writing {
  const [draft, setDraft] = useState<Draft>(() => read(name));
  const latest = useRef(draft);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const save = useCallback(() => {
    if (timer.current === undefined) return;
    clearTimeout(timer.current);
    timer.current = undefined;
    store(name, latest.current);
  }, [name]);
  useEffect(() => {
    addEventListener("pagehide", save);
    return () => {
      removeEventListener("pagehide", save);
      save();
    };
  }, [save]);
  const change = useCallback(
    (next: (draft: Draft) => Draft) => {
      latest.current = next(latest.current);
      setDraft(latest.current);
      clearTimeout(timer.current);
      timer.current = setTimeout(save, PAUSE);
      // What was sent is not kept a moment longer: the page may go, or show another session by now.
      if (isEmpty(latest.current)) save();
    },
    [save],
  );
  const now = useCallback(() => latest.current, []);
  return { draft, now, change };
}

const isEmpty = ({ text, pieces }: Draft) => !text && !pieces.length;

function read(name: string): Draft {
  const found = kept<Partial<Draft> | null>(`draft.${name}`, null);
  return {
    text: typeof found?.text === "string" ? found.text : "",
    pieces: Array.isArray(found?.pieces) ? found.pieces : [],
  };
}

function store(name: string, draft: Draft): void {
  const others = kept<string[]>("drafts", []).filter((each) => each !== name);
  if (isEmpty(draft)) {
    keep(`draft.${name}`, undefined);
    keep("drafts", others);
    return;
  }
  keep(`draft.${name}`, bounded(draft));
  const names = [...others, name];
  for (const old of names.slice(0, -MOST_DRAFTS)) keep(`draft.${old}`, undefined);
  keep("drafts", names.slice(-MOST_DRAFTS));
}

function bounded(draft: Draft): Draft {
  let left = LARGEST - Math.min(draft.text.length, LARGEST);
  const pieces = draft.pieces.filter((piece) => {
    left -= piece.kind === "text" ? piece.text.length : piece.data.length;
    return left >= 0;
  });
  return { text: draft.text.slice(0, LARGEST), pieces };
}
