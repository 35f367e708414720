/** How the field of the palette looks, before its box is there and after. */
export const FIELD =
  "h-12 w-full shrink-0 border-b border-line bg-transparent px-4 text-lg text-ink outline-none placeholder:text-ink-3";
