/** Links to a message: `#m-<message_id>`. Opening one loads older pages until the message is there, and shows it. */
import { type RefObject, useEffect } from "react";
import type { SessionStore } from "../../session/store.js";
import { useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { say } from "../../ui/toasts.js";
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
    const gone = new AbortController();
    const go = () => void reach(store, box, stay, gone.signal);
    go();
    addEventListener("hashchange", go);
    return () => {
      gone.abort();
      removeEventListener("hashchange", go);
    };
  }, [store, box, stay]);
}

async function reach(
  store: SessionStore,
  box: RefObject<HTMLElement | null>,
  stay: () => void,
  gone: AbortSignal,
): Promise<void> {
  const wanted = /^#m-([\w-]+)$/.exec(location.hash)?.[1];
  if (!wanted) return;
  const has = () => store.view.value.items.some((item) => item.key === wanted);
  while (!has() && store.more.value && !gone.aborted) await store.older();
  if (gone.aborted) return;
  if (!has()) {
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
