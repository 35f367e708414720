/**
 * Links to a message, `#m-<message_id>`, and to whatever an event is part of, `#event-<index>`. Opening one loads older
 * pages until it is there, and shows it.
 */
import { type RefObject, useEffect } from "react";
import type { SessionStore } from "../../session/store.js";
import { useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { copy } from "../copying.js";

export const anchorOf = (messageId: string) => `m-${messageId}`;

export function useCopyLink(sessionId: string): (messageId: string) => void {
  const { root } = useStudio();
  return (messageId) =>
    void copy(`${root}/sessions/${sessionId}#${anchorOf(messageId)}`, texts.conversation.linkCopied);
}

/** Go where the address points, now and whenever it changes. */
export function useLinked(store: SessionStore, box: RefObject<HTMLElement | null>, stay: () => void): void {
  useEffect(() => {
    let gone = new AbortController();
    const go = () => {
      gone.abort();
      gone = new AbortController();
      reach(store, box, stay, gone.signal).catch(sayProblem);
    };
    go();
    addEventListener("hashchange", go);
    return () => {
      gone.abort();
      removeEventListener("hashchange", go);
    };
  }, [store, box, stay]);
}

/** The exchange of that name, once its beginning is loaded too. */
function keyed(store: SessionStore, key: string): string | undefined {
  return store.view.value.items.find(
    (item) => item.key === key && (item.kind !== "exchange" || item.index > 0),
  )?.key;
}

/** The exchange that an event belongs to, once it is loaded. */
function around(store: SessionStore, index: number): string | undefined {
  return store.view.value.items.findLast(
    (item) => item.kind === "exchange" && item.index > 0 && item.index <= index,
  )?.key;
}

async function reach(
  store: SessionStore,
  box: RefObject<HTMLElement | null>,
  stay: () => void,
  gone: AbortSignal,
): Promise<void> {
  const named = /^#(?:m-([\w-]+)|event-(\d+))$/.exec(location.hash);
  if (!named) return;
  const find = () => (named[1] ? keyed(store, named[1]) : around(store, Number(named[2])));
  while (!find() && store.more.value && !gone.aborted) await store.older();
  if (gone.aborted) return;
  const wanted = find();
  if (!wanted) {
    if (store.view.value.items.length) say(texts.conversation.linkNotFound, { bad: true });
    return;
  }
  // It is drawn with the next frame.
  requestAnimationFrame(() => {
    const found = box.current?.querySelector<HTMLElement>(`#${CSS.escape(anchorOf(wanted))}`);
    if (!found || gone.aborted) return;
    stay();
    found.scrollIntoView({ block: "start" });
    found.querySelector<HTMLElement>("[data-message]")?.focus({ preventScroll: true });
  });
}
