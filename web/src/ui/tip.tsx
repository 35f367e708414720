/** A word about what the pointer or the focus is on. */
import { Tooltip } from "radix-ui";
import type { ReactNode } from "react";
import { written } from "../studio/commands.js";
import { Key } from "./button.js";

export function Tip({ text, keys, children }: { text: ReactNode; keys?: string; children: ReactNode }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger asChild>{children}</Tooltip.Trigger>
      <Tooltip.Portal>
        <Tooltip.Content
          sideOffset={4}
          className="z-50 flex max-w-80 items-center gap-2 rounded-control border border-line bg-surface px-2 py-1 text-xs text-ink shadow-float"
        >
          {text}
          {keys && <Key small>{written(keys)}</Key>}
        </Tooltip.Content>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

export const Tips = Tooltip.Provider;
