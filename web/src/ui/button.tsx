/** A button: the one action, a plain one, a quiet one, or one that destroys. */
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { shortcut, written } from "../studio/commands.js";

export type Kind = "main" | "plain" | "quiet" | "danger";

const KINDS: Record<Kind, string> = {
  main: "bg-accent text-on-accent border-accent hover:opacity-90",
  plain: "bg-surface text-ink border-edge hover:bg-sunken",
  quiet: "bg-transparent text-ink-2 border-transparent hover:bg-sunken hover:text-ink",
  danger: "bg-surface text-bad border-bad hover:bg-sunken",
};

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind;
  /** Shown at its end, and told to screen readers: the key that does the same. */
  keys?: string;
  icon?: ReactNode;
  small?: boolean;
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({
  kind = "plain",
  keys,
  icon,
  small,
  busy,
  children,
  className = "",
  ref,
  ...rest
}: ButtonProps) {
  return (
    <button
      ref={ref}
      type="button"
      aria-keyshortcuts={keys && shortcut(keys)}
      aria-busy={busy || undefined}
      {...rest}
      disabled={rest.disabled || busy}
      className={`inline-flex shrink-0 items-center justify-center gap-1.5 rounded-control border font-medium whitespace-nowrap select-none disabled:opacity-50 max-mid:min-h-11 ${small ? "h-6 px-2 text-xs" : "h-8 px-3 text-sm"} ${KINDS[kind]} ${className}`}
    >
      {icon}
      {children}
      {keys && <Key small>{written(keys)}</Key>}
    </button>
  );
}

/** A key of the keyboard, as it is written on it. */
export function Key({ children, small, always }: { children: ReactNode; small?: boolean; always?: boolean }) {
  return (
    <kbd
      className={`rounded-[4px] border border-current/30 px-1 font-mono leading-4 ${always ? "" : "max-mid:hidden"} ${small ? "text-[11px]" : "text-xs"}`}
    >
      {children}
    </kbd>
  );
}
