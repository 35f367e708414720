/** A choice as it holds, on a button that opens the others. */
import { ChevronDown } from "lucide-react";
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What is chosen here. */
  name: string;
  /** What holds. */
  word: string;
  icon?: ReactNode;
  keys?: string;
  ref?: Ref<HTMLButtonElement>;
}

export function Pill({ name, word, icon, keys, className = "", ref, ...rest }: Props) {
  return (
    <button
      ref={ref}
      type="button"
      aria-label={`${name}: ${word}`}
      aria-keyshortcuts={keys}
      title={name}
      {...rest}
      className={`inline-flex h-7 min-w-0 items-center gap-1 rounded-control px-1.5 text-sm text-ink-2 hover:bg-sunken hover:text-ink aria-expanded:bg-sunken disabled:opacity-50 max-mid:h-11 ${className}`}
    >
      {icon}
      <span className="truncate">{word}</span>
      <ChevronDown size={12} className="shrink-0 opacity-70" aria-hidden />
    </button>
  );
}
