/** From message to message by the keyboard: j and k, or Alt with the arrows. */
import type { RefObject } from "react";
import { useCommand } from "../../studio/commands.js";
import { texts } from "../../texts/texts.js";

export function useMoving(box: RefObject<HTMLElement | null>, stay: () => void): void {
  const words = texts.conversation;
  const move = (by: 1 | -1) => {
    const all = [...(box.current?.querySelectorAll<HTMLElement>("[data-message]") ?? [])];
    const at = all.findIndex((each) => each.contains(document.activeElement));
    const target = all[at < 0 ? nearest(all, by, box.current) : at + by];
    if (!target) return;
    stay();
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "nearest" });
    if (target.offsetHeight > (box.current?.clientHeight ?? 0)) target.scrollIntoView({ block: "start" });
  };
  const next = { title: words.next, group: "go" as const, run: () => move(1) };
  const previous = { title: words.previous, group: "go" as const, run: () => move(-1) };
  useCommand({ ...next, id: "message.next", keys: "Alt+ArrowDown" });
  useCommand({ ...previous, id: "message.previous", keys: "Alt+ArrowUp" });
  useCommand({ ...next, id: "message.next.j", keys: "j", hidden: true });
  useCommand({ ...previous, id: "message.previous.k", keys: "k", hidden: true });
}

/** Where to begin when none has the focus: at what is seen. */
function nearest(all: HTMLElement[], by: 1 | -1, box: HTMLElement | null): number {
  const { top = 0, bottom = 0 } = box?.getBoundingClientRect() ?? {};
  return by > 0
    ? all.findIndex((each) => each.getBoundingClientRect().bottom > top)
    : all.findLastIndex((each) => each.getBoundingClientRect().top < bottom);
}
