/** A button that is only a sign: its name is told on hover, on focus and to screen readers. */
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { shortcut } from "../studio/commands.js";
import { Tip } from "./tip.js";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  label: string;
  keys?: string;
  children: ReactNode;
  pressed?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({ label, keys, children, pressed, className = "", ref, ...rest }: Props) {
  return (
    <Tip text={label} {...(keys ? { keys } : {})}>
      <button
        ref={ref}
        type="button"
        aria-label={label}
        aria-pressed={pressed}
        aria-keyshortcuts={keys && shortcut(keys)}
        {...rest}
        className={`inline-flex size-7 shrink-0 items-center justify-center rounded-control text-ink-2 hover:bg-sunken hover:text-ink disabled:opacity-40 aria-pressed:bg-sunken aria-pressed:text-ink max-mid:size-11 ${className}`}
      >
        {children}
      </button>
    </Tip>
  );
}
