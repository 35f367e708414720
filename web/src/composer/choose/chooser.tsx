/** A choice among many: a button that opens a field to search in, and a list. */
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { texts } from "../../texts/texts.js";
import { Popover } from "../../ui/popover.js";
import { moved, type Option, OptionList, optionId } from "../options.js";

export interface ChooserOption extends Option {
  /** What the search looks at. */
  words: string;
}

export interface Opened {
  open: boolean;
  onOpen(open: boolean): void;
  /** Where the focus goes after a choice. */
  onChosen(): void;
}

interface Props extends Opened {
  button: ReactNode;
  label: string;
  search: string;
  options: ChooserOption[];
  onPick(id: string): void;
  /** Below the list: what could not be listed. */
  foot?: ReactNode;
}

export function Chooser({ button, label, open, onOpen, onChosen, ...rest }: Props) {
  const picked = useRef(false);
  return (
    <Popover
      bare
      align="start"
      button={button}
      label={label}
      open={open}
      onOpen={(next) => {
        picked.current = false;
        onOpen(next);
      }}
      onClosed={(event) => {
        if (!picked.current) return;
        event.preventDefault();
        onChosen();
      }}
    >
      <Search
        {...rest}
        label={label}
        onPick={(id) => {
          picked.current = true;
          rest.onPick(id);
          onOpen(false);
        }}
      />
    </Popover>
  );
}

function Search({
  label,
  search,
  options,
  onPick,
  foot,
}: Pick<Props, "label" | "search" | "options" | "onPick" | "foot">) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const found = sifted(options, typed);
  const [active, setActive] = useState(() =>
    Math.max(
      0,
      options.findIndex((option) => option.chosen),
    ),
  );
  const here = Math.min(active, Math.max(0, found.length - 1));
  const keyDown = (event: KeyboardEvent) => {
    const next = moved(event.key, here, found);
    const option = found[here];
    if (next !== undefined) setActive(next);
    else if (event.key === "Enter" && option && !option.disabled) onPick(option.id);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        role="combobox"
        aria-label={search}
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={found.length ? optionId(id, here) : undefined}
        placeholder={search}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setActive(0);
        }}
        onKeyDown={keyDown}
        className="h-9 w-full border-b border-line bg-transparent px-3 text-base outline-none placeholder:text-ink-3 max-mid:h-11 max-mid:text-lg"
      />
      {found.length > 0 && (
        <OptionList
          id={id}
          label={label}
          options={found}
          active={here}
          onActive={setActive}
          onPick={(option) => onPick(option.id)}
        />
      )}
      <p role="status" className={found.length ? "sr-only" : "p-3 text-ink-2"}>
        {found.length ? texts.composer.count(found.length) : texts.composer.nothing}
      </p>
      {foot && <div className="border-t border-line p-2 text-xs text-ink-2">{foot}</div>}
    </>
  );
}

/** Those that have every word that was typed. */
function sifted<O extends ChooserOption>(options: O[], typed: string): O[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return words.length
    ? options.filter((option) => words.every((word) => option.words.toLowerCase().includes(word)))
    : options;
}
