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
  /** It goes up to its edges: a list. */
  bare?: boolean;
  /** It has closed; prevent the event to put the focus elsewhere than on the button. */
  onClosed?(event: Event): void;
}

export function Popover({ button, label, children, align = "end", open, onOpen, bare, onClosed }: Props) {
  return (
    <Radix.Root {...(open === undefined ? {} : { open })} {...(onOpen ? { onOpenChange: onOpen } : {})}>
      <Radix.Trigger asChild>{button}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align={align}
          sideOffset={6}
          collisionPadding={8}
          {...(onClosed ? { onCloseAutoFocus: onClosed } : {})}
          className={`z-50 w-80 max-w-[calc(100vw-16px)] rounded-panel border border-line bg-surface text-sm shadow-float ${bare ? "overflow-hidden" : "p-3"}`}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
