/** The page's tabs, in a row: each with its state. Whatever runs in one goes on while another is shown. */
import { Plus, Settings, X } from "lucide-react";
import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { useRoute } from "wouter";
import type { SessionStore } from "../session/store.js";
import { useStudio } from "../studio/context.js";
import { useWatch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";
import { IconButton } from "../ui/icon-button.js";
import { useNarrow } from "../ui/narrow.js";
import { Sign } from "../ui/sign.js";
import { useGoing } from "./going.js";
import { useClosing } from "./tabs/closing.js";
import { type TabActs, TabOne } from "./tabs/tab.js";
import { useTabKeys } from "./tabs/tab-keys.js";
import { TabMenu } from "./tabs/tab-menu.js";
import { Looking, useTabTitle } from "./tabs/tab-state.js";

export function TabBar() {
  const studio = useStudio();
  const { list, active: chosen } = useWatch(studio.tabs);
  const [settings] = useRoute("/settings/:part?");
  const active = settings ? "" : chosen;
  const narrow = useNarrow();
  const going = useGoing();
  const row = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState("");
  const acts = useActs(setSaid, row);
  useTabKeys();
  const shown = studio.tab(active);
  const other = settings ? texts.app.settings : texts.rooms.fresh;
  return (
    <div className="flex min-w-0 flex-1 items-center gap-1">
      {shown ? <Heading store={shown.store} /> : <h1 className="sr-only">{other}</h1>}
      {shown && <Looking store={shown.store} />}
      {narrow ? (
        <TabMenu wide={false} />
      ) : (
        <div
          ref={row}
          role="tablist"
          aria-label={texts.rooms.tabs}
          className="flex min-w-0 items-center gap-1 overflow-x-auto [scrollbar-width:none]"
        >
          {list.map((tab) => (
            <TabOne key={tab.id} store={tab.store} active={tab.id === active} acts={acts} />
          ))}
          {!shown && (
            <Other
              name={other}
              onClose={settings ? () => going.tab(chosen) : undefined}
              onStep={(to) => acts.step("", to)}
            />
          )}
        </div>
      )}
      <IconButton label={texts.rooms.fresh} keys="Alt+N" onClick={going.fresh}>
        <Plus size={16} aria-hidden />
      </IconButton>
      {!narrow && list.length > 1 && <TabMenu wide />}
      <span role="status" className="sr-only">
        {said}
      </span>
    </div>
  );
}

function Heading({ store }: { store: SessionStore }) {
  return <h1 className="sr-only">{useTabTitle(store)}</h1>;
}

const STEPS: Record<string, "first" | "last"> = { ArrowLeft: "last", ArrowRight: "first", Home: "first" };

interface OtherProps {
  name: string;
  onClose: (() => void) | undefined;
  onStep(to: "first" | "last"): void;
}

/** What is shown and is no session's: one that is not begun yet, or the settings. */
function Other({ name, onClose, onStep }: OtherProps) {
  const pressed = (event: KeyboardEvent) => {
    const to = STEPS[event.key];
    if (event.key === "Delete") onClose?.();
    else if (to) onStep(to);
  };
  return (
    <div
      role="presentation"
      className="relative flex h-8 shrink-0 items-center rounded-control border border-line bg-surface"
    >
      <button
        type="button"
        role="tab"
        aria-selected
        aria-controls="session"
        onKeyDown={pressed}
        className={`flex h-full items-center gap-1.5 rounded-control pl-2 text-sm ${onClose ? "pr-7" : "pr-2"}`}
      >
        {onClose ? <Settings size={14} aria-hidden /> : <Sign of="new" quiet />}
        {name}
      </button>
      {onClose && (
        <button
          type="button"
          aria-hidden
          tabIndex={-1}
          title={texts.rooms.closeTab}
          onClick={onClose}
          className="absolute right-1 inline-flex size-5 items-center justify-center rounded-control text-ink-3 hover:bg-line hover:text-ink"
        >
          <X size={14} aria-hidden />
        </button>
      )}
    </div>
  );
}

function useActs(tell: (words: string) => void, row: { current: HTMLElement | null }): TabActs {
  const studio = useStudio();
  const going = useGoing();
  const { close } = useClosing();
  const dragged = useRef("");
  return useMemo(() => {
    const place = (id: string) => studio.tabs.value.list.findIndex((tab) => tab.id === id);
    const focus = (id: string) => row.current?.querySelector<HTMLElement>(`#tab-${CSS.escape(id)}`)?.focus();
    return {
      show: going.tab,
      close,
      move(id, by) {
        const { list } = studio.tabs.value;
        const next = Math.min(list.length - 1, Math.max(0, place(id) + by));
        studio.moveTab(id, next);
        tell(texts.rooms.moved(next + 1, list.length));
        requestAnimationFrame(() => focus(id));
      },
      step(id, to) {
        const { list } = studio.tabs.value;
        const at =
          to === "first" ? 0 : to === "last" ? list.length - 1 : (place(id) + to + list.length) % list.length;
        const next = list[at];
        if (!next) return;
        going.tab(next.id);
        focus(next.id);
      },
      drag(id) {
        dragged.current = id;
      },
      over(id) {
        if (dragged.current && dragged.current !== id) studio.moveTab(dragged.current, place(id));
      },
    };
  }, [studio, going, close, tell, row]);
}
