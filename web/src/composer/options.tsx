/**
 * Things to choose one of, below what is typed: the focus stays in the textbox, which names the active one
 * (`aria-activedescendant`). Whoever owns the textbox moves `active` by its keys.
 */
import { Check } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";

export interface Option {
  id: string;
  label: ReactNode;
  about?: ReactNode;
  hint?: ReactNode;
  icon?: ReactNode;
  group?: string;
  /** It holds now. */
  chosen?: boolean;
  disabled?: boolean;
}

interface Props {
  /** Of the element; the options' ids are made of it. */
  id: string;
  label: string;
  options: Option[];
  active: number;
  onActive(active: number): void;
  onPick(option: Option): void;
}

export const optionId = (list: string, n: number) => `${list}-${n}`;

export function OptionList({ id, label, options, active, onActive, onPick }: Props) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector(`#${CSS.escape(optionId(id, active))}`)?.scrollIntoView({ block: "nearest" });
  }, [id, active]);
  const groups = [...new Set(options.map(({ group = "" }) => group))];
  const row = (option: Option) => {
    const n = options.indexOf(option);
    return (
      <Row
        key={option.id}
        id={optionId(id, n)}
        option={option}
        active={n === active}
        onActive={() => onActive(n)}
        onPick={() => onPick(option)}
      />
    );
  };
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={label}
      tabIndex={-1}
      className="max-h-[min(320px,45dvh)] overflow-y-auto p-1 outline-none"
    >
      {groups.map((group, g) => {
        const rows = options.filter((option) => (option.group ?? "") === group).map(row);
        if (!group) return rows;
        return (
          // biome-ignore lint/a11y/useSemanticElements: options stand in a group, not in a fieldset
          <div key={group} role="group" aria-labelledby={`${id}-group-${g}`}>
            <div id={`${id}-group-${g}`} className="px-2 pt-1.5 pb-1 text-xs font-medium text-ink-3">
              {group}
            </div>
            {rows}
          </div>
        );
      })}
    </div>
  );
}

interface RowProps {
  id: string;
  option: Option;
  active: boolean;
  onActive(): void;
  onPick(): void;
}

function Row({ id, option, active, onActive, onPick }: RowProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus is in the textbox
    // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the textbox
    <div
      id={id}
      role="option"
      aria-selected={active}
      aria-disabled={option.disabled}
      onPointerDown={(event) => event.preventDefault()}
      onPointerMove={() => active || onActive()}
      onClick={() => !option.disabled && onPick()}
      className={`flex min-h-7 cursor-default items-start gap-2 rounded-control px-2 py-1 text-sm max-mid:min-h-11 max-mid:items-center ${active ? "bg-sunken" : ""} ${option.disabled ? "text-ink-3" : "text-ink"}`}
    >
      {option.icon && <span className="mt-0.5 shrink-0 text-ink-3">{option.icon}</span>}
      <span className="min-w-[60%] flex-1">
        <span className="block truncate">{option.label}</span>
        {option.about && <span className="block text-xs text-ink-2">{option.about}</span>}
      </span>
      {option.hint && <span className="min-w-0 text-xs leading-5 text-ink-3">{option.hint}</span>}
      {option.chosen && <Check size={14} className="mt-0.5 shrink-0 text-accent" aria-hidden />}
    </div>
  );
}

/** Where the active option goes by a key; undefined: the key is none of these. */
export function moved(key: string, active: number, options: Option[]): number | undefined {
  const last = options.length - 1;
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (step === undefined || last < 0) return undefined;
  for (let n = 1; n <= options.length; n++) {
    const next = (active + step * n + options.length * n) % options.length;
    if (!options[next]?.disabled) return next;
  }
  return undefined;
}
