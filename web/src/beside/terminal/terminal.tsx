/** Terminals of the project: several, each a tab, and what can be done with the one that is shown. */
import { Bot, ClipboardPaste, Copy, Ear, Ellipsis, Globe, Plus, SquareTerminal, X } from "lucide-react";
import { Tabs } from "radix-ui";
import { lazy, Suspense, useRef, useState } from "react";
import { copied } from "../../prose/copy.js";
import { useKept } from "../../studio/kept.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { IconButton } from "../../ui/icon-button.js";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.js";
import { ProblemBox } from "../../ui/problem.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { Empty } from "../empty.js";
import type { Place } from "../place.js";
import { Closing } from "./closing.js";
import { PhoneKeys } from "./phone-keys.js";
import type { Hand } from "./screen.js";
import { named, type Shell, useShells } from "./shells.js";
import { type Known, Standing } from "./standing.js";

const Screen = lazy(() => import("./screen.js"));

export function Terminal({ place, shown }: { place: Place; shown: boolean }) {
  const { projectId, container } = place;
  const { shells, error, again, open, close } = useShells(projectId, shown);
  const [active, setActive] = useKept(`shell.${projectId}`, "");
  const [busy, setBusy] = useState(false);
  const [closing, setClosing] = useState<{ shell: Shell; name: string } | null>(null);
  const fresh = useRef("");
  /** The one that is looked at: it stays, with what it showed, though the server has it no longer. */
  const last = useRef<Shell | null>(null);
  const { beside, ui } = texts;

  const begin = async (network: boolean) => {
    setBusy(true);
    try {
      const shell = await open(container, network);
      fresh.current = shell.id;
      setActive(shell.id);
    } catch (problem) {
      sayProblem(problem);
    } finally {
      setBusy(false);
    }
  };
  const end = (shell: Shell) => {
    last.current = null;
    void close(shell).catch(sayProblem);
  };
  if (!shells)
    return error ? (
      <div className="p-3">
        <ProblemBox title={beside.failed} detail={error.message} action={{ label: ui.again, run: again }} />
      </div>
    ) : (
      <p className="p-4 text-sm text-ink-3">{ui.loading}</p>
    );
  const gone = last.current && !shells.some(({ id }) => id === last.current?.id) ? [last.current] : [];
  const list = named([...shells, ...gone]);
  const current = list.find(({ shell }) => shell.id === active) ?? list[0];
  last.current = current?.shell ?? null;
  if (!current)
    return (
      <Empty title={beside.terminal.none} hint={beside.terminal.noneHint}>
        <Button
          kind="main"
          busy={busy}
          icon={<SquareTerminal size={15} aria-hidden />}
          onClick={() => void begin(false)}
        >
          {beside.terminal.open}
        </Button>
        <Button busy={busy} icon={<Globe size={15} aria-hidden />} onClick={() => void begin(true)}>
          {beside.terminal.openWith}
        </Button>
      </Empty>
    );
  return (
    <Tabs.Root
      value={current.shell.id}
      onValueChange={setActive}
      activationMode="manual"
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="flex h-9 shrink-0 items-center gap-1 border-b border-line pr-1 pl-2 max-mid:h-12">
        <Tabs.List aria-label={beside.terminal.list} className="flex min-w-0 flex-1 gap-1 overflow-x-auto">
          {list.map(({ shell, name }) => (
            <Tabs.Trigger
              key={shell.id}
              value={shell.id}
              title={shell.session_id ? beside.terminal.agentsTitle(shell.command) : name}
              className="flex h-6 max-w-36 shrink-0 items-center gap-1.5 rounded-control px-2 text-xs text-ink-2 -outline-offset-2 hover:text-ink data-[state=active]:bg-sunken data-[state=active]:text-ink max-mid:h-11"
            >
              {shell.session_id ? <Bot size={13} aria-hidden /> : <SquareTerminal size={13} aria-hidden />}
              <span className={`truncate ${shell.ended ? "line-through" : ""}`}>{name}</span>
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <IconButton label={beside.terminal.open} disabled={busy} onClick={() => void begin(false)}>
          <Plus size={16} aria-hidden />
        </IconButton>
      </div>
      <Tabs.Content
        key={current.shell.id}
        value={current.shell.id}
        tabIndex={-1}
        className="flex min-h-0 flex-1 flex-col outline-none"
      >
        <One
          place={place}
          {...current}
          focus={fresh.current === current.shell.id}
          onOpen={(network) => void begin(network)}
          onClose={() => (current.shell.ended ? end(current.shell) : setClosing(current))}
        />
      </Tabs.Content>
      <Closing
        closing={closing}
        onCancel={() => setClosing(null)}
        onClose={(shell) => {
          setClosing(null);
          end(shell);
        }}
      />
    </Tabs.Root>
  );
}

interface OneProps {
  place: Place;
  shell: Shell;
  name: string;
  focus: boolean;
  onOpen(network: boolean): void;
  onClose(): void;
}

function One({ place, shell, name, focus, onOpen, onClose }: OneProps) {
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
              if (focus) next?.focus();
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
