/**
 * Whatever can be done from the keyboard: a view that can do something offers it while it is there. The palette lists
 * all, the sheet behind `?` those with keys, and one listener runs them.
 */
import { useEffect, useRef } from "react";
import { Watch } from "./watch.js";

export interface Command {
  id: string;
  title: string;
  group: "session" | "go" | "view" | "other";
  /** As `Mod+K`, `Alt+N`, `Escape`, `?`; Mod is Command on a Mac and Control elsewhere. */
  keys?: string;
  /** Runs even while somebody types; those with Mod or Alt always do. */
  always?: boolean;
  /** Not in the palette: only its keys. */
  hidden?: boolean;
  run(): void;
}

export const commands = new Watch<Command[]>([]);

/** Offer a command while this view is there; null: not now. The newest of those with the same keys counts. */
export function useCommand(command: Command | null): void {
  const current = useRef(command);
  current.current = command;
  const { id, title, group, keys, always, hidden } = command ?? {
    id: "",
    title: "",
    group: "other" as const,
  };
  useEffect(() => {
    if (!id) return;
    const offered: Command = { id, title, group, run: () => current.current?.run() };
    if (keys) offered.keys = keys;
    if (always) offered.always = true;
    if (hidden) offered.hidden = true;
    commands.set([...commands.value, offered]);
    return () => commands.set(commands.value.filter((each) => each !== offered));
  }, [id, title, group, keys, always, hidden]);
}

const MAC = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);

/** Run what a key asks for; true if something did. */
export function pressed(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return false;
  const typing = isTyping(event.target);
  const found = commands.value.findLast(
    ({ keys, always }) =>
      keys !== undefined && matches(event, keys) && (always || !typing || /Mod|Alt/.test(keys)),
  );
  if (!found) return false;
  event.preventDefault();
  found.run();
  return true;
}

function matches(event: KeyboardEvent, keys: string): boolean {
  const names = keys.split("+");
  const key = names.pop() ?? "";
  const mod = MAC ? event.metaKey : event.ctrlKey;
  return (
    names.includes("Mod") === mod &&
    names.includes("Alt") === event.altKey &&
    (names.includes("Shift") === event.shiftKey || key === "?") &&
    (event.key.toLowerCase() === key.toLowerCase() ||
      event.code === `Key${key}` ||
      event.code === `Digit${key}` ||
      event.code === CODES[key])
  );
}

/** Keys that say something else together with Shift or Alt: where they lie. */
const CODES: Record<string, string> = { "[": "BracketLeft", "]": "BracketRight", ",": "Comma" };

/** Keys go into a field there. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

/** Keys as `aria-keyshortcuts` has them. */
export function shortcut(keys: string): string {
  return keys.replace("Mod", MAC ? "Meta" : "Control").replace(/\bEsc$/, "Escape");
}

const ARROWS = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };

/** Keys as they are written on this keyboard. */
export function written(keys: string): string {
  const signs: Record<string, string> = MAC
    ? { ...ARROWS, Mod: "⌘", Alt: "⌥", Shift: "⇧", Enter: "⏎", Escape: "Esc" }
    : { ...ARROWS, Mod: "Ctrl", Enter: "⏎", Escape: "Esc" };
  return keys
    .split("+")
    .map((name) => signs[name] ?? name)
    .join(MAC ? "" : "+");
}
