/** Something more about a button, beside it. */
import { Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";

interface Props {
  button: ReactNode;
  label: string;
  children: ReactNode;
  align?: "start" | "center" | "end";
  open?: boolean;
  onOpen?(open: boolean): void;
}

export function Popover({ button, label, children, align = "end", open, onOpen }: Props) {
  return (
    <Radix.Root {...(open === undefined ? {} : { open })} {...(onOpen ? { onOpenChange: onOpen } : {})}>
      <Radix.Trigger asChild>{button}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 w-80 max-w-[calc(100vw-16px)] rounded-panel border border-line bg-surface p-3 text-sm shadow-float"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
