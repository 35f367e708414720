/** Keys in a terminal that are the page's: to copy, to paste, to leave, and to go to another view. All others are typed. */
import type { Terminal } from "@xterm/xterm";
import { copied } from "../../prose/copy.js";

type Copying = Pick<Terminal, "getSelection" | "clearSelection">;

/** True: the terminal takes it. */
export function keyed(terminal: Copying, leave: () => void): (event: KeyboardEvent) => boolean {
  return (event) => {
    const { ctrlKey, shiftKey, altKey, metaKey, code, type } = event;
    const ours = ctrlKey && shiftKey && !altKey && !metaKey;
    if (altKey && !ctrlKey && !metaKey && /^Digit[1-4]$/.test(code)) return false;
    if (ours && code === "KeyV") return false;
    const copies = (ours && code === "KeyC") || (ctrlKey && !shiftKey && !altKey && code === "KeyC");
    const selected = copies ? terminal.getSelection() : "";
    if (copies && (selected || shiftKey)) {
      if (type === "keydown") {
        event.preventDefault();
        if (selected) void copied(selected);
        terminal.clearSelection();
      }
      return false;
    }
    if (ours && code === "KeyX") {
      if (type === "keydown") {
        event.preventDefault();
        leave();
      }
      return false;
    }
    return true;
  };
}
