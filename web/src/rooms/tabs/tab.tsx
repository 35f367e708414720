/** One tab: its sign, its title, and the way to close it. It can be dragged, and moved with Mod+Shift+arrow. */
import { X } from "lucide-react";
import { type DragEvent, type KeyboardEvent, memo, useEffect, useRef } from "react";
import type { SessionStore } from "../../session/store.js";
import { texts } from "../../texts/texts.js";
import { Sign } from "../../ui/sign.js";
import { useTabSign, useTabTitle } from "./tab-state.js";

export interface TabActs {
  show(id: string): void;
  close(id: string, title: string): void;
  /** Put it that many places further. */
  move(id: string, by: number): void;
  /** Give the focus, and the page, to the one that many places further; "first" and "last" are the ends. */
  step(id: string, to: number | "first" | "last"): void;
  drag(id: string): void;
  over(id: string): void;
}

interface Props {
  store: SessionStore;
  /** It is shown, and the Tab key comes to it. */
  active: boolean;
  acts: TabActs;
}

const MIDDLE = 1;

export const TabOne = memo(function TabOne({ store, active, acts }: Props) {
  const sign = useTabSign(store);
  const title = useTabTitle(store);
  const id = store.tabId;
  const box = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (active) box.current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [active]);
  const close = () => acts.close(id, title);
  const over = (event: DragEvent) => {
    event.preventDefault();
    acts.over(id);
  };
  return (
    <div
      role="presentation"
      className={`group relative flex h-8 w-48 items-center rounded-control border ${active ? "min-w-40 border-line bg-surface" : "min-w-28 border-transparent hover:bg-sunken"}`}
    >
      <button
        ref={box}
        id={`tab-${id}`}
        type="button"
        role="tab"
        aria-selected={active}
        aria-controls={active ? "session" : undefined}
        aria-keyshortcuts="Delete"
        tabIndex={active ? 0 : -1}
        draggable
        title={title}
        onDragOver={over}
        onAuxClick={(event) => event.button === MIDDLE && close()}
        onDragStart={() => acts.drag(id)}
        onDragEnd={() => acts.drag("")}
        onClick={() => acts.show(id)}
        onKeyDown={(event) => pressed(event, id, close, acts)}
        className={`flex h-full min-w-0 flex-1 items-center gap-1.5 scroll-mx-2 rounded-control pl-2 text-left text-sm ${active ? "pr-7 text-ink" : "pr-2 text-ink-2 group-hover:pr-7"}`}
      >
        {sign !== "idle" && <Sign of={sign} />}
        <span className="min-w-0 flex-1 truncate">{title}</span>
      </button>
      {/* For the pointer alone: keys close a tab with Delete, and a list of tabs may hold nothing else. */}
      <button
        type="button"
        aria-hidden
        tabIndex={-1}
        title={texts.rooms.closeTab}
        onClick={close}
        className={`absolute right-1 inline-flex size-5 items-center justify-center rounded-control text-ink-3 hover:bg-line hover:text-ink ${active ? "" : "opacity-0 group-hover:opacity-100"}`}
      >
        <X size={14} aria-hidden />
      </button>
    </div>
  );
});

function pressed(event: KeyboardEvent, id: string, close: () => void, acts: TabActs): void {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by && (event.ctrlKey || event.metaKey) && event.shiftKey) acts.move(id, by);
  else if (by) acts.step(id, by);
  else if (event.key === "Home") acts.step(id, "first");
  else if (event.key === "End") acts.step(id, "last");
  else if (event.key === "Delete" || event.key === "Backspace") close();
  else return;
  event.preventDefault();
}
