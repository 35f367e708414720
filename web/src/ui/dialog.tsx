/** A window over the page: it holds the focus, Esc closes it, and the focus goes back to where it was. */
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";
import { texts } from "../texts/texts.js";
import { IconButton } from "./icon-button.js";

interface Props {
  title: string;
  /** Said below the title. */
  about?: ReactNode;
  open: boolean;
  onClose(): void;
  children: ReactNode;
  wide?: boolean;
}

/** The first field has the focus; where there is none, the window itself: a button would only show its hint. */
function begin(event: Event): void {
  const content = event.currentTarget as HTMLElement;
  event.preventDefault();
  (content.querySelector<HTMLElement>("input, textarea, select, [data-first]") ?? content).focus();
}

export function Dialog({ title, about, open, onClose, children, wide }: Props) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-ink/30 dark:bg-ground/70" />
        <Radix.Content
          {...(about ? {} : { "aria-describedby": undefined })}
          onOpenAutoFocus={begin}
          className={`fixed top-1/2 left-1/2 z-40 flex max-h-[85dvh] w-[calc(100vw-32px)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-panel border border-line bg-surface shadow-float outline-none ${wide ? "max-w-3xl" : "max-w-md"}`}
        >
          <header className="flex items-start gap-3 border-b border-line px-4 py-3">
            <div className="min-w-0 flex-1">
              <Radix.Title className="own-box text-lg font-semibold">{title}</Radix.Title>
              {about && (
                <Radix.Description className="own-box mt-0.5 text-sm text-ink-2">{about}</Radix.Description>
              )}
            </div>
            <IconButton label={texts.ui.close} onClick={onClose}>
              <X size={16} aria-hidden />
            </IconButton>
          </header>
          <div className="min-h-0 overflow-y-auto p-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
