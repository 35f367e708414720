/** Which view stands beside the conversation: remembered, chosen by keys, and by whoever wants a file shown. */
import { useEffect, useRef } from "react";
import { useCommand } from "../studio/commands.js";
import { useStudio } from "../studio/context.js";
import { keep, kept } from "../studio/kept.js";
import { Watch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";

export const TABS = ["plan", "changes", "files", "terminal"] as const;
export type TabName = (typeof TABS)[number];

export const tab = new Watch<TabName>("plan");
const before = kept<TabName>("beside.tab", "plan");
if (TABS.includes(before)) tab.set(before);
tab.subscribe(() => keep("beside.tab", tab.value));

/** Keys for the views, wherever one is; `show` brings the side into view. */
export function useBesideKeys(show: () => void): void {
  const { opened } = useStudio();
  const { showTab } = texts.beside;
  const latest = useRef(show);
  latest.current = show;
  const to = (name: TabName) => () => {
    tab.set(name);
    show();
    requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-beside=${name}]`)?.focus());
  };
  useCommand({ id: "beside-plan", title: showTab.plan, group: "view", keys: "Alt+Shift+1", run: to("plan") });
  useCommand({
    id: "beside-changes",
    title: showTab.changes,
    group: "view",
    keys: "Alt+Shift+2",
    run: to("changes"),
  });
  useCommand({
    id: "beside-files",
    title: showTab.files,
    group: "view",
    keys: "Alt+Shift+3",
    run: to("files"),
  });
  useCommand({
    id: "beside-terminal",
    title: showTab.terminal,
    group: "view",
    keys: "Alt+Shift+4",
    run: to("terminal"),
  });
  useEffect(
    () =>
      opened.subscribe(() => {
        if (!opened.value) return;
        tab.set("files");
        latest.current();
      }),
    [opened],
  );
}
