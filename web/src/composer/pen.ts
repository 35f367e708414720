/** The hand that writes: what stands in the box and where the caret is, what others put in, and sending it. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useStudio } from "../studio/context.js";
import { useWatch } from "../studio/watch.js";
import { bytes } from "../texts/figures.js";
import { texts } from "../texts/texts.js";
import { say } from "../ui/toasts.js";
import type { Effort, Run } from "./around.js";
import type { Writing } from "./draft.js";
import { remember } from "./history.js";
import type { Obey } from "./offer/obey.js";
import { parse } from "./offer/slash.js";
import { contentOf, MOST, NOTHING, sizeOf } from "./piece.js";
import type { Sender } from "./send.js";

interface Given {
  kept: Writing;
  run: Run;
  sender: Sender;
  obey: Obey;
  effort: Effort;
  /** Take the focus when it comes onto the screen. */
  focus: boolean;
}

interface Pen {
  box: RefObject<HTMLTextAreaElement | null>;
  caret: number;
  typed(box: HTMLTextAreaElement): void;
  look(box: HTMLTextAreaElement): void;
  put(text: string, caret: number): void;
  /** Add to what is written. */
  append(text: string, between?: string): void;
  send(steer: boolean): Promise<void>;
  order(command: string): Promise<void>;
  focus(): void;
}

export function useWriting({ kept, run, sender, obey, effort, focus: first }: Given): Pen {
  const { now, change } = kept;
  const box = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(() => kept.draft.text.length);
  const wanted = useRef<number | null>(null);
  const focus = useCallback(() => box.current?.focus(), []);

  // Where the caret is to stand in words that React has just put in.
  useLayoutEffect(() => {
    if (wanted.current === null) return;
    box.current?.setSelectionRange(wanted.current, wanted.current);
    wanted.current = null;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it comes onto the screen
  useEffect(() => {
    const held = document.activeElement;
    if (first && (!held || held === document.body)) focus();
  }, []);

  const put = useCallback(
    (text: string, at: number) => {
      wanted.current = at;
      setCaret(at);
      change((was) => ({ ...was, text }));
      focus();
    },
    [change, focus],
  );
  const append = useCallback(
    (text: string, between = "\n\n") => {
      const before = now().text;
      const joined = before.trim() ? `${before.trimEnd()}${between}${text}` : text;
      put(joined, joined.length);
    },
    [now, put],
  );
  const order = async (command: string) => {
    const slash = parse(command);
    if (!slash) return;
    const before = now().text;
    change((was) => ({ ...was, text: "" }));
    setCaret(0);
    // What was not done stays, to be put right; but never over what is written meanwhile.
    if (!(await obey(slash)) && slash.name !== "help" && !now().text) put(before, before.length);
  };
  const send = async (steer: boolean) => {
    const draft = now();
    if (sender.beginning) return;
    if (parse(draft.text)) return order(draft.text);
    const content = contentOf(draft);
    if (content === null) return;
    const size = sizeOf(content);
    if (size > MOST) return say(texts.composer.overLimit(bytes(size)), { bad: true });
    remember(draft.text);
    if (await sender.send(content, steer && run.busy, effort)) change(() => NOTHING);
  };
  useProposed(append, sender, effort);
  return {
    box,
    caret,
    typed(area) {
      setCaret(area.selectionStart);
      change((was) => ({ ...was, text: area.value }));
    },
    look: (area) => setCaret(area.selectionEnd),
    put,
    append,
    send,
    order,
    focus,
  };
}

/** What some other part of the page proposes: to be gone over, or sent as it is; what is written stays. */
function useProposed(append: Pen["append"], sender: Sender, effort: Effort): void {
  const studio = useStudio();
  const proposed = useWatch(studio.proposed);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each proposal once
  useEffect(() => {
    if (!proposed || sender.beginning) return;
    studio.proposed.set(null);
    const text = proposed.text.trim();
    if (!text) return;
    // A file that is named goes on in the same line, and keeps the space that ends its name.
    if (!proposed.send) return append(proposed.text, text.startsWith("@") ? " " : "\n\n");
    void sender.send(text, false, effort).then((sent) => sent || append(text));
  }, [proposed, sender.beginning]);
}
