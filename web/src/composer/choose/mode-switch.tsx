/** Plan, ask or allow: a word, a shape and a colour. */
import { Eye, Hand, Zap } from "lucide-react";
import type { Mode } from "../../session/shape.js";
import { texts } from "../../texts/texts.js";
import { Menu, MenuChoice, MenuLabel, MenuOption } from "../../ui/menu.js";
import { type Choices, MODES } from "../around.js";
import { Pill } from "./pill.js";

const SIGNS = { plan: Eye, ask: Hand, allow: Zap };
const COLOURS = { plan: "text-note", ask: "", allow: "text-care" };

export function ModeSwitch({ choices }: { choices: Choices }) {
  const { mode, held } = choices;
  const now = held || mode;
  const Icon = SIGNS[now];
  const { composer } = texts;
  return (
    <Menu
      button={
        <Pill
          name={composer.mode}
          word={composer.modes[now] ?? now}
          icon={<Icon size={14} className="shrink-0" aria-hidden />}
          className={COLOURS[now]}
          keys="Shift+Tab"
        />
      }
    >
      {held && <MenuLabel>{composer.modeHeld(composer.modes[held] ?? held)}</MenuLabel>}
      <MenuChoice value={mode} onChange={(next) => void choices.change({ mode: next as Mode })}>
        {MODES.map((each) => (
          <MenuOption key={each} value={each} about={composer.modeAbout[each]}>
            <span className={`font-medium ${COLOURS[each]}`}>{composer.modes[each]}</span>
          </MenuOption>
        ))}
      </MenuChoice>
    </Menu>
  );
}

export function nextMode(mode: Mode): Mode {
  return MODES[(MODES.indexOf(mode) + 1) % MODES.length] ?? "ask";
}
