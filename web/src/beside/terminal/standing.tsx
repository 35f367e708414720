/** How it stands with a terminal: its place, its network, its connection, its end. */
import { Globe, WifiOff } from "lucide-react";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Tip } from "../../ui/tip.js";
import type { Shell } from "./shells.js";

export interface Known {
  state: "connecting" | "attached" | "lost" | "gone";
  ended: boolean;
  code: number | null;
}

export function Standing({ shell, known, onOpen }: { shell: Shell; known: Known; onOpen(): void }) {
  const { terminal } = texts.beside;
  const { state, ended, code } = known;
  const said = ended
    ? terminal.ended(code)
    : state === "gone"
      ? terminal.gone
      : state === "lost"
        ? terminal.lost
        : state === "connecting"
          ? terminal.connecting
          : "";
  const Icon = shell.network ? Globe : WifiOff;
  return (
    <>
      <Tip text={shell.session_id ? terminal.shared : terminal.noneHint}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is said of it is reached by keys */}
        <span tabIndex={0} className="flex shrink-0 items-center gap-1">
          <Icon size={13} aria-hidden />
          {shell.network ? terminal.network : terminal.noNetwork}
        </span>
      </Tip>
      {shell.container && <span className="min-w-0 truncate font-mono">{shell.container}</span>}
      <p
        role="status"
        title={said}
        className={`min-w-0 flex-1 truncate ${(ended && code) || state === "gone" ? "text-bad" : state === "lost" ? "text-care" : ""}`}
      >
        {said}
      </p>
      {(ended || state === "gone") && (
        <Button small onClick={onOpen}>
          {terminal.open}
        </Button>
      )}
    </>
  );
}
