/**
 * Which key sends, in this browser: Enter, or Enter with Ctrl (⌘ on a Mac), where Enter alone begins a new line. The key that
 * sends says a prompt into what runs when one key more is held.
 */
import { keep, kept } from "./kept.js";
import { Watch } from "./watch.js";

export const ENTERS = ["sends", "breaks"] as const;
export type Enter = (typeof ENTERS)[number];

export const enter = new Watch<Enter>(kept("enter", "sends"));

export function setEnter(next: Enter): void {
  keep("enter", next);
  enter.set(next);
}

/** The keys as they are named in commands. */
export const ENTER_KEYS: Record<Enter, { send: string; steer: string; line: string }> = {
  sends: { send: "Enter", steer: "Mod+Enter", line: "Shift+Enter" },
  breaks: { send: "Mod+Enter", steer: "Mod+Shift+Enter", line: "Enter" },
};

interface Pressed {
  key: string;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}

/** What a press in a prompt means; empty: nothing, the browser does what it does. */
export function enterMeans({ key, shiftKey, altKey, ctrlKey, metaKey }: Pressed): "send" | "steer" | "" {
  if (key !== "Enter" || altKey) return "";
  const mod = ctrlKey || metaKey;
  if (enter.value === "breaks") return mod ? (shiftKey ? "steer" : "send") : "";
  return shiftKey ? "" : mod ? "steer" : "send";
}
