/** The keys of the tabs: a new one, the next, the one before, the ninth, close, and take back. */
import { useEffect, useRef } from "react";
import { useRoute } from "wouter";
import { switchTheme } from "../../look/theme.js";
import { commands, useCommand } from "../../studio/commands.js";
import { useStudio } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";
import { useGoing } from "../going.js";
import { useNewest } from "../list/sessions.js";
import { useClosing } from "./closing.js";
import { titleOf } from "./tab-state.js";

export function useTabKeys(): void {
  const studio = useStudio();
  const going = useGoing();
  const closing = useClosing();
  const { list, active } = useWatch(studio.tabs);
  const { data: newest } = useNewest();
  const shown = studio.tab(active);
  const [settings] = useRoute("/settings/:part?");
  const { rooms } = texts;
  const step = (by: number) => {
    const place = list.findIndex((tab) => tab.id === active);
    const next = list[(place + by + list.length) % list.length] ?? list[0];
    if (next) going.tab(next.id);
  };
  useCommand({ id: "tab.new", title: rooms.fresh, group: "session", keys: "Alt+N", run: going.fresh });
  useCommand(
    shown || settings
      ? {
          id: "tab.close",
          title: rooms.closeTab,
          group: "session",
          keys: "Alt+W",
          // What is not seen is not closed: the settings stand before it.
          run: () => {
            if (settings) going.tab(active);
            else if (shown) closing.close(active, titleOf(shown.store, newest?.sessions));
          },
        }
      : null,
  );
  useCommand({
    id: "tab.reopen",
    title: rooms.reopen,
    group: "session",
    keys: "Alt+Shift+W",
    run: closing.reopen,
  });
  useCommand({
    id: "tab.next",
    title: rooms.nextTab,
    group: "go",
    keys: "Mod+Shift+]",
    run: () => step(1),
  });
  useCommand({
    id: "tab.before",
    title: rooms.tabBefore,
    group: "go",
    keys: "Mod+Shift+[",
    run: () => step(active ? -1 : 0),
  });
  useCommand({
    id: "settings",
    title: texts.app.settings,
    group: "go",
    keys: "Mod+,",
    run: () => going.settings(""),
  });
  useCommand(
    settings
      ? {
          id: "settings.leave",
          title: rooms.leaveSettings,
          group: "go",
          keys: "Escape",
          run: () => going.tab(active),
        }
      : null,
  );
  useCommand({ id: "theme", title: rooms.switchTheme, group: "view", run: switchTheme });
  useDigits((place) => {
    const tab = place === 9 ? list.at(-1) : list[place - 1];
    if (tab) going.tab(tab.id);
  });
}

/** Alt+1 … Alt+9: one line in the sheet of keys stands for all. */
function useDigits(show: (place: number) => void): void {
  useCommand({
    id: "tab.nth",
    title: texts.rooms.nthTab,
    group: "go",
    keys: "Alt+1",
    hidden: true,
    run: () => show(1),
  });
  const latest = useRef(show);
  latest.current = show;
  useEffect(() => {
    const eight = [2, 3, 4, 5, 6, 7, 8, 9].map((place) => ({
      id: `tab.${place}`,
      title: "",
      group: "go" as const,
      keys: `Alt+${place}`,
      hidden: true,
      run: () => latest.current(place),
    }));
    commands.set([...commands.value, ...eight]);
    return () => commands.set(commands.value.filter((each) => !eight.some((one) => one === each)));
  }, []);
}
