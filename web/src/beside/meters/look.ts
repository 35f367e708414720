/** How a meter looks while it is closed. */
export const METER =
  "inline-flex h-7 shrink-0 items-center gap-1.5 rounded-control px-1.5 text-xs text-ink-2 tabular-nums hover:bg-sunken hover:text-ink data-[state=open]:bg-sunken max-mid:h-11 max-mid:min-w-11 max-mid:justify-center";
