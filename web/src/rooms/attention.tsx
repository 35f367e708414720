/**
 * Tells the person what needs them when they look elsewhere: the title and the icon of the page, a notification of the
 * system and a sound, where those are wanted. It draws nothing, and is always there.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useStudio } from "../studio/context.js";
import { notify } from "../studio/notifying.js";
import { sound } from "../studio/sound.js";
import type { Tab } from "../studio/studio.js";
import { useWatch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";
import { useGoing } from "./going.js";
import { type SessionRow, useNewest } from "./list/sessions.js";
import { useTabTitle } from "./tabs/tab-state.js";
import { asked, useAsks, type Waiting } from "./waiting/asks.js";

export function Attention() {
  const studio = useStudio();
  const { active } = useWatch(studio.tabs);
  const { data: asks } = useAsks();
  const { data: newest } = useNewest();
  const waits = asks?.length ?? 0;
  const shown = studio.tab(active);
  useFreshening();
  useNewAsks(asks);
  useEnds(newest?.sessions);
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon) icon.href = waits ? "./icon-waiting.svg" : "./icon.svg";
  }, [waits]);
  return shown ? <SessionTitle tab={shown} waits={waits} /> : <Title words="" waits={waits} />;
}

function SessionTitle({ tab, waits }: { tab: Tab; waits: number }) {
  return <Title words={useTabTitle(tab.store)} waits={waits} />;
}

function Title({ words, waits }: { words: string; waits: number }) {
  useEffect(() => {
    const name = words ? `${words} · ${texts.app.name}` : texts.app.name;
    document.title = waits ? `(${waits}) ${name}` : name;
  }, [words, waits]);
  return null;
}

/**
 * When a tab begins to work, waits or is through, the lists are asked for anew; and all that is shown, once a server that
 * was gone is there again.
 */
function useFreshening(): void {
  const studio = useStudio();
  const queries = useQueryClient();
  const connection = useWatch(studio.connection);
  const gone = useRef(false);
  useEffect(() => {
    if (connection === "lost") gone.current = true;
    if (connection !== "open" || !gone.current) return;
    gone.current = false;
    void queries.invalidateQueries();
  }, [connection, queries]);
  const { list } = useWatch(studio.tabs);
  useEffect(() => {
    const ends = list.map(({ store }) => {
      const state = () => `${store.view.value.status} ${store.view.value.asks.map(({ id }) => id)}`;
      let before = state();
      return store.view.subscribe(() => {
        const now = state();
        if (now === before) return;
        before = now;
        void queries.invalidateQueries({ queryKey: ["asks"] });
        void queries.invalidateQueries({ queryKey: ["sessions"] });
      });
    });
    return () => {
      for (const end of ends) end();
    };
  }, [list, queries]);
}

function useNewAsks(asks: Waiting[] | undefined): void {
  const going = useGoing();
  const known = useRef<Set<string> | null>(null);
  useEffect(() => {
    if (!asks) return;
    const before = known.current;
    known.current = new Set(asks.map((ask) => ask.id));
    const fresh = before ? asks.filter((ask) => !before.has(ask.id)) : [];
    if (!fresh.length) return;
    sound("waiting");
    if (!document.hidden) return;
    for (const ask of fresh)
      notify(ask.title || texts.rooms.waiting, asked(ask), ask.id, () => going.session(ask.session_id));
  }, [asks, going]);
}

function useEnds(rows: SessionRow[] | undefined): void {
  const going = useGoing();
  const known = useRef(new Map<string, string>());
  useEffect(() => {
    if (!rows) return;
    const before = known.current;
    known.current = new Map(rows.map((row) => [row.id, row.status]));
    const ended = rows.filter(
      (row) => row.status === "idle" && ["running", "queued", "waiting"].includes(before.get(row.id) ?? ""),
    );
    if (!ended.length || !document.hidden) return;
    sound("ended");
    for (const { id, title, outcome } of ended)
      notify(title || texts.rooms.untitled, texts.rooms.ended(outcome ?? ""), id, () => going.session(id));
  }, [rows, going]);
}
