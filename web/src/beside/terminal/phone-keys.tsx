/** Keys that a phone's keyboard lacks. */
import { texts } from "../../texts/texts.js";

const KEYS = [
  ["Esc", "\x1b"],
  ["Tab", "\t"],
  ["Ctrl C", "\x03"],
  ["Ctrl D", "\x04"],
  ["↑", "\x1b[A"],
  ["↓", "\x1b[B"],
  ["←", "\x1b[D"],
  ["→", "\x1b[C"],
] as const;

export function PhoneKeys({ type }: { type(text: string): void }) {
  return (
    <div
      role="toolbar"
      aria-label={texts.beside.terminal.keys}
      className="hidden shrink-0 gap-1 overflow-x-auto border-t border-line p-1 max-mid:flex"
    >
      {KEYS.map(([name, text]) => (
        <button
          key={name}
          type="button"
          aria-label={texts.beside.terminal.keyNames[name] ?? name}
          // The keyboard of the phone stays where it is.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => type(text)}
          className="h-11 min-w-11 shrink-0 rounded-control border border-line px-2 font-mono text-sm"
        >
          {name}
        </button>
      ))}
    </div>
  );
}
