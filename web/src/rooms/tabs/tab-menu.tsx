/** All tabs in a menu: for a narrow page, where it is the only way between them, and for more than a row holds. */
import { ChevronDown, Plus, RotateCcw, X } from "lucide-react";
import { useRoute } from "wouter";
import type { SessionStore } from "../../session/store.js";
import { useStudio } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";
import { IconButton } from "../../ui/icon-button.js";
import { Menu, MenuChoice, MenuItem, MenuLine, MenuOption } from "../../ui/menu.js";
import { Sign } from "../../ui/sign.js";
import { sayProblem } from "../../ui/toasts.js";
import { useGoing } from "../going.js";
import { useClosing } from "./closing.js";
import { useTabSign, useTabTitle } from "./tab-state.js";

export function TabMenu({ wide }: { wide: boolean }) {
  const studio = useStudio();
  const going = useGoing();
  const closing = useClosing();
  const { list, active: chosen } = useWatch(studio.tabs);
  const [settings] = useRoute("/settings/:part?");
  const active = settings ? "" : chosen;
  const { rooms } = texts;
  const shown = studio.tab(active);
  const button = wide ? (
    <IconButton label={rooms.allTabs}>
      <ChevronDown size={16} aria-hidden />
    </IconButton>
  ) : (
    <button
      type="button"
      className="flex h-11 min-w-0 flex-1 items-center gap-2 rounded-control px-2 text-left text-sm"
    >
      <span className="sr-only">{rooms.allTabs}</span>
      {shown ? <Current store={shown.store} /> : <Plain>{settings ? texts.app.settings : rooms.fresh}</Plain>}
      {list.length > 1 && <span className="shrink-0 text-xs text-ink-3">{list.length}</span>}
      <ChevronDown size={16} aria-hidden className="shrink-0 text-ink-2" />
    </button>
  );
  return (
    <Menu button={button} align={wide ? "end" : "start"}>
      <MenuChoice value={active} onChange={going.tab}>
        {list.map((tab) => (
          <Option key={tab.id} store={tab.store} />
        ))}
      </MenuChoice>
      {list.length > 0 && <MenuLine />}
      <MenuItem icon={<Plus size={14} aria-hidden />} onSelect={going.fresh}>
        {rooms.fresh}
      </MenuItem>
      {shown && <Close store={shown.store} />}
      {list.length > 1 && (
        <MenuItem
          icon={<X size={14} aria-hidden />}
          onSelect={() => {
            for (const tab of list) if (tab.id !== chosen) studio.closeTab(tab.id).catch(sayProblem);
          }}
        >
          {rooms.closeOthers}
        </MenuItem>
      )}
      <MenuItem icon={<RotateCcw size={14} aria-hidden />} onSelect={closing.reopen}>
        {rooms.reopen}
      </MenuItem>
    </Menu>
  );
}

function Plain({ children }: { children: string }) {
  return <span className="min-w-0 flex-1 truncate font-medium">{children}</span>;
}

function Current({ store }: { store: SessionStore }) {
  const sign = useTabSign(store);
  return (
    <>
      {sign !== "idle" && <Sign of={sign} />}
      <Plain>{useTabTitle(store)}</Plain>
    </>
  );
}

function Option({ store }: { store: SessionStore }) {
  const sign = useTabSign(store);
  const title = useTabTitle(store);
  return (
    <MenuOption value={store.tabId}>
      <span className="flex max-w-72 items-center gap-2">
        <span className="min-w-0 flex-1 truncate">{title}</span>
        {sign !== "idle" && <Sign of={sign} />}
      </span>
    </MenuOption>
  );
}

function Close({ store }: { store: SessionStore }) {
  const closing = useClosing();
  const title = useTabTitle(store);
  return (
    <MenuItem icon={<X size={14} aria-hidden />} onSelect={() => closing.close(store.tabId, title)}>
      {texts.rooms.closeTab}
    </MenuItem>
  );
}
