/** What a tab says of itself: its title, and the sign of its state. Drawn again only where one of them changes. */
import { useEffect, useSyncExternalStore } from "react";
import type { SessionStore } from "../../session/store.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";
import type { SignOf } from "../../ui/sign.js";
import { useHidden } from "../hidden.js";
import { type SessionRow, useNewest } from "../list/sessions.js";
import { look, seen, signOf } from "../seen.js";

/** Whether nothing was ever said in it. */
function isNew({ view, state, sending }: SessionStore): boolean {
  const { items, queue } = view.value;
  return state.value === "ready" && !items.length && !queue.length && !sending.value.length;
}

function sign(store: SessionStore): SignOf {
  if (store.state.value === "gone" || store.state.value === "failed") return "failed";
  if (isNew(store)) return "new";
  const { status, outcome, last, items } = store.view.value;
  const ended = items.findLast((item) => item.kind === "exchange");
  const at = ended?.end?.at ?? 0;
  return signOf({ id: store.sessionId, status, outcome, last, at }, seen.value);
}

export function useTabSign(store: SessionStore): SignOf {
  return useSyncExternalStore(
    (tell) => {
      const ends = [store.view, store.state, store.about, store.sending, seen].map((each) =>
        each.subscribe(tell),
      );
      return () => {
        for (const end of ends) end();
      };
    },
    () => sign(store),
  );
}

/** Its title: as the lists have it, as it was opened with, or that it has none. */
export function titleOf(store: SessionStore, rows: SessionRow[] = []): string {
  const row = rows.find(({ id }) => id === store.sessionId);
  const none = store.state.value === "gone" ? texts.rooms.gone : texts.rooms.untitled;
  return row?.title || store.about.value?.title || store.knownTitle || none;
}

export function useTabTitle(store: SessionStore): string {
  useWatch(store.about);
  useWatch(store.state);
  return titleOf(store, useNewest().data?.sessions);
}

/** While a tab is shown and the page seen, what ends in it is looked at. */
export function Looking({ store }: { store: SessionStore }) {
  const hidden = useHidden();
  const ended = useSyncExternalStore(store.view.subscribe, () =>
    store.view.value.status === "idle" ? store.view.value.last : 0,
  );
  useEffect(() => {
    if (!hidden && ended) look(store.sessionId, ended);
  }, [store, hidden, ended]);
  return null;
}
