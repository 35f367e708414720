/** One terminal: how it stands, what can be done with it, and its screen. */
import { ClipboardPaste, Copy, Ear, Ellipsis, Globe, X } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { copied } from "../../prose/copy.js";
import { useKept } from "../../studio/kept.js";
import { texts } from "../../texts/texts.js";
import { IconButton } from "../../ui/icon-button.js";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.js";
import { say } from "../../ui/toasts.js";
import type { Place } from "../place.js";
import type { Early } from "./early.js";
import { PhoneKeys } from "./phone-keys.js";
import type { Hand } from "./screen.js";
import type { Shell } from "./shells.js";
import { type Known, Standing } from "./standing.js";

const Screen = lazy(() => import("./screen.js"));

interface Props {
  place: Place;
  shell: Shell;
  name: string;
  focus: boolean;
  early: Early;
  onOpen(network: boolean): void;
  onClose(): void;
}

export function ShellView({ place, shell, name, focus, early, onOpen, onClose }: Props) {
  const { terminal } = texts.beside;
  const [known, setKnown] = useState<Known>({
    state: "connecting",
    ended: shell.ended,
    code: shell.exit_code,
  });
  const [reader, setReader] = useKept("terminal.reader", false);
  const hand = useRef<Hand | null>(null);
  const around = useRef<HTMLDivElement>(null);
  const leave = () =>
    around.current
      ?.closest("[role=tabpanel]")
      ?.parentElement?.querySelector<HTMLElement>("[role=tab]")
      ?.focus();
  const copy = async () => {
    if (!(await copied(hand.current?.selection() ?? ""))) say(texts.prose.notCopied, { bad: true });
  };
  const paste = async () => {
    try {
      hand.current?.paste(await navigator.clipboard.readText());
      hand.current?.focus();
    } catch {
      say(terminal.noPaste, { bad: true });
    }
  };
  return (
    <div ref={around} className="flex min-h-0 flex-1 flex-col">
      <div className="flex h-8 shrink-0 items-center gap-2 pr-1 pl-3 text-xs text-ink-2 max-mid:h-11">
        <Standing shell={shell} known={known} onOpen={() => onOpen(shell.network)} />
        <Menu
          align="end"
          button={
            <IconButton label={terminal.more}>
              <Ellipsis size={15} aria-hidden />
            </IconButton>
          }
        >
          <MenuItem icon={<Copy size={15} aria-hidden />} hint="Ctrl+Shift+C" onSelect={() => void copy()}>
            {terminal.copy}
          </MenuItem>
          <MenuItem
            icon={<ClipboardPaste size={15} aria-hidden />}
            hint="Ctrl+Shift+V"
            onSelect={() => void paste()}
          >
            {terminal.paste}
          </MenuItem>
          <MenuItem icon={<Ear size={15} aria-hidden />} onSelect={() => setReader(!reader)}>
            {reader ? terminal.noReader : terminal.reader}
          </MenuItem>
          <MenuLine />
          <MenuItem icon={<Globe size={15} aria-hidden />} onSelect={() => onOpen(true)}>
            {terminal.openWith}
          </MenuItem>
          <MenuLine />
          <MenuItem danger icon={<X size={15} aria-hidden />} onSelect={onClose}>
            {terminal.close(name)}
          </MenuItem>
        </Menu>
      </div>
      <div className="flex min-h-0 flex-1 px-3 pb-1">
        <Suspense fallback={<p className="text-sm text-ink-3">{texts.ui.loading}</p>}>
          <Screen
            projectId={place.projectId}
            shellId={shell.id}
            name={name}
            foreign={shell.session_id !== ""}
            reader={reader}
            onHand={(next) => {
              hand.current = next;
              if (!focus || !next) return;
              next.focus();
              const typed = early.take();
              if (typed) next.type(typed);
            }}
            onState={(state) => setKnown((before) => ({ ...before, state }))}
            onEnded={(code) => setKnown((before) => ({ ...before, ended: true, code }))}
            onLeave={leave}
          />
        </Suspense>
      </div>
      <PhoneKeys type={(text) => hand.current?.type(text)} />
    </div>
  );
}
