/** Terminals of the project: several, each a tab, and what can be done with the one that is shown. */
import { Bot, Globe, Plus, SquareTerminal } from "lucide-react";
import { Tabs } from "radix-ui";
import { useRef, useState } from "react";
import { useKept } from "../../studio/kept.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { IconButton } from "../../ui/icon-button.js";
import { ProblemBox } from "../../ui/problem.js";
import { sayProblem } from "../../ui/toasts.js";
import { Empty } from "../empty.js";
import type { Place } from "../place.js";
import { Closing } from "./closing.js";
import { type Early, useEarly } from "./early.js";
import { ShellView } from "./shell-view.js";
import { named, type Shell, useShells } from "./shells.js";

interface Props {
  place: Place;
  shown: boolean;
}

export function Terminal(props: Props) {
  const early = useEarly();
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only holds the keyboard until a terminal is there
    <div
      ref={early.box}
      tabIndex={-1}
      onKeyDown={early.onKeyDown}
      className="flex min-h-0 flex-1 flex-col outline-none"
    >
      <Shells {...props} early={early} />
    </div>
  );
}

function Shells({ place, shown, early }: Props & { early: Early }) {
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
    early.wait();
    try {
      const shell = await open(container, network);
      fresh.current = shell.id;
      setActive(shell.id);
    } catch (problem) {
      early.take();
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
        <ShellView
          place={place}
          {...current}
          focus={fresh.current === current.shell.id}
          early={early}
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
