/** A menu of things to do, or to choose one of, at a button. */
import { Check } from "lucide-react";
import { DropdownMenu as Radix } from "radix-ui";
import type { ReactNode } from "react";

const PANEL =
  "z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto rounded-panel border border-line bg-surface p-1 shadow-float";
const ITEM =
  "flex min-h-7 cursor-default items-center gap-2 rounded-control px-2 py-1 text-sm outline-none select-none data-disabled:opacity-50 data-highlighted:bg-sunken max-mid:min-h-11";

export function Menu({
  button,
  children,
  align = "start",
}: {
  button: ReactNode;
  children: ReactNode;
  align?: "start" | "end";
}) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{button}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content align={align} sideOffset={4} collisionPadding={8} className={PANEL}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

interface ItemProps {
  icon?: ReactNode;
  hint?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  onSelect(): void;
  children: ReactNode;
}

export function MenuItem({ icon, hint, danger, disabled, onSelect, children }: ItemProps) {
  return (
    <Radix.Item
      {...(disabled ? { disabled } : {})}
      onSelect={onSelect}
      className={`${ITEM} ${danger ? "text-bad" : "text-ink"}`}
    >
      {icon}
      <span className="own-box min-w-0 flex-1">{children}</span>
      {hint && <span className="text-xs text-ink-3">{hint}</span>}
    </Radix.Item>
  );
}

/** One of several: `value` is the one that holds. */
export function MenuChoice({
  value,
  onChange,
  children,
}: {
  value: string;
  onChange(next: string): void;
  children: ReactNode;
}) {
  return (
    <Radix.RadioGroup value={value} onValueChange={onChange}>
      {children}
    </Radix.RadioGroup>
  );
}

export function MenuOption({
  value,
  about,
  disabled,
  children,
}: {
  value: string;
  about?: ReactNode;
  disabled?: boolean;
  children: ReactNode;
}) {
  return (
    <Radix.RadioItem
      {...(disabled ? { disabled } : {})}
      value={value}
      className={`${ITEM} mid:items-start text-ink`}
    >
      <span className="w-3.5 shrink-0 mid:mt-0.5">
        <Radix.ItemIndicator>
          <Check size={14} aria-hidden />
        </Radix.ItemIndicator>
      </span>
      <span className="min-w-0 flex-1">
        {children}
        {about && <span className="block max-w-72 text-xs text-ink-2">{about}</span>}
      </span>
    </Radix.RadioItem>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <Radix.Label className="px-2 pt-1.5 pb-1 text-xs font-medium text-ink-3">{children}</Radix.Label>;
}

export function MenuLine() {
  return <Radix.Separator className="my-1 h-px bg-line" />;
}
