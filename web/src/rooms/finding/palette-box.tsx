/** The palette: one field, and below it whatever fits, by kind. Enter does it, Esc leaves. */
import { Command } from "cmdk";
import type { ReactNode } from "react";
import { commands, written } from "../../studio/commands.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";
import { Key } from "../../ui/button.js";
import { useGoing } from "../going.js";
import { Choices } from "./choices.js";
import { FIELD } from "./field.js";
import { fits } from "./fits.js";
import { Places } from "./places.js";

/** Instead of words: the server found it, and it fits, though less than what is known by its name. */
const FOUND = "\u0000found";
const BARELY = 0.01;

/** One goes on writing after what was typed before the box was there. */
const toEnd = (field: HTMLInputElement | null) =>
  field?.setSelectionRange(field.value.length, field.value.length);

interface BoxProps {
  words: string;
  onWords(words: string): void;
  onClose(): void;
}

export default function PaletteBox({ words, onWords, onClose }: BoxProps) {
  const { find } = texts.rooms;
  const done = (act: () => void) => () => {
    onClose();
    // The window goes first, and gives the focus back; then whatever is done may take it.
    setTimeout(act);
  };
  return (
    <Command
      label={find.label}
      loop
      filter={(_, sought, words) => (words?.[0] === FOUND ? BARELY : fits(sought, words ?? []))}
      className="flex max-h-[70dvh] flex-col"
    >
      <Command.Input
        autoFocus
        ref={toEnd}
        value={words}
        onValueChange={onWords}
        placeholder={find.hint}
        className={FIELD}
      />
      <Command.List label={find.label} className="min-h-0 flex-1 overflow-y-auto p-2">
        <Command.Empty className="px-2 py-6 text-center text-sm text-ink-2">{find.none}</Command.Empty>
        <Doings done={done} />
        <Places words={words} done={done} />
        <Choices words={words} done={done} />
        <Pages done={done} />
      </Command.List>
    </Command>
  );
}

export type Done = (act: () => void) => () => void;

function Doings({ done }: { done: Done }) {
  const all = useWatch(commands).filter((each) => !each.hidden && each.title);
  const known = new Map(all.map((each) => [each.id, each]));
  return (
    <Group name={texts.rooms.find.commands}>
      {[...known.values()].map((each) => (
        <Item
          key={each.id}
          value={`command ${each.id}`}
          words={[each.title]}
          act={done(each.run)}
          hint={each.keys && <Key small>{written(each.keys)}</Key>}
        >
          {each.title}
        </Item>
      ))}
    </Group>
  );
}

function Pages({ done }: { done: Done }) {
  const going = useGoing();
  const { parts } = texts.settings;
  return (
    <Group name={texts.rooms.find.settings}>
      {Object.entries(parts).map(([part, { name }]) => (
        <Item
          key={part}
          value={`settings ${part}`}
          words={[texts.app.settings, name]}
          act={done(() => going.settings(part))}
        >
          {name}
        </Item>
      ))}
    </Group>
  );
}

export function Group({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={name}
      className="pb-1 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-1.5 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-3"
    >
      {children}
    </Command.Group>
  );
}

interface ItemProps {
  value: string;
  /** What it is found by; none: the server found it. */
  words?: string[];
  act(): void;
  hint?: ReactNode;
  children: ReactNode;
}

export function Item({ value, words = [FOUND], act, hint, children }: ItemProps) {
  return (
    <Command.Item
      value={value}
      keywords={words}
      onSelect={act}
      className="flex min-h-8 cursor-default items-center gap-2 rounded-control px-2 py-1 text-sm text-ink select-none data-[selected=true]:bg-sunken max-mid:min-h-11"
    >
      <span className="flex min-w-0 flex-1 items-center gap-2">{children}</span>
      {hint && <span className="shrink-0 text-xs text-ink-2">{hint}</span>}
    </Command.Item>
  );
}
