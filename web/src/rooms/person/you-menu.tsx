/** Who is signed in, and what is theirs: settings, theme, keys, passes, the way out. */

import { Keyboard, LogOut, Monitor, Settings, User } from "lucide-react";
import { signOut } from "../../api/leaving.js";
import { choose, THEMES, type Theme, theme } from "../../look/theme.js";
import { useMe } from "../../studio/answers.js";
import { useStudio } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuLine, MenuOption } from "../../ui/menu.js";
import { sayProblem } from "../../ui/toasts.js";
import { useGoing } from "../going.js";
import { opened } from "../opened.js";

export function YouMenu() {
  const studio = useStudio();
  const going = useGoing();
  const { data: me } = useMe();
  const chosen = useWatch(theme);
  const { rooms } = texts;
  const button = (
    <button
      type="button"
      className="flex h-8 min-w-0 flex-1 items-center gap-2 rounded-control px-2 text-left text-sm text-ink-2 hover:bg-sunken hover:text-ink max-mid:h-11"
    >
      <User size={16} aria-hidden className="shrink-0" />
      <span className="min-w-0 flex-1 truncate">{me?.name ?? rooms.you}</span>
    </button>
  );
  return (
    <Menu button={button}>
      <MenuItem icon={<Settings size={14} aria-hidden />} onSelect={() => going.settings("")}>
        {texts.app.settings}
      </MenuItem>
      <MenuItem icon={<Keyboard size={14} aria-hidden />} hint="?" onSelect={() => opened.set("keys")}>
        {rooms.keys}
      </MenuItem>
      <MenuItem icon={<Monitor size={14} aria-hidden />} onSelect={() => going.settings("browsers")}>
        {rooms.passes}
      </MenuItem>
      <MenuLine />
      <MenuLabel>{rooms.theme}</MenuLabel>
      <MenuChoice value={chosen} onChange={(next) => choose(next as Theme)}>
        {THEMES.map((each) => (
          <MenuOption key={each} value={each}>
            {rooms.themes[each]}
          </MenuOption>
        ))}
      </MenuChoice>
      <MenuLine />
      <MenuItem
        icon={<LogOut size={14} aria-hidden />}
        onSelect={() => void signOut(studio.http, studio.root).catch(sayProblem)}
      >
        {rooms.signOut}
      </MenuItem>
    </Menu>
  );
}
