/** May the focus be taken from where it is? Not from somebody who writes, or who has just gone where they want to write. */
import { isTyping } from "../../studio/commands.js";

/** Somebody pressed something in the field that has the focus, or went there, and has sent nothing since. */
let meant = false;

document.addEventListener(
  "pointerdown",
  ({ target }) => {
    meant = isTyping(target);
  },
  true,
);
document.addEventListener(
  "keydown",
  ({ key, target }) => {
    meant = key === "Tab" || (isTyping(target) && key !== "Enter");
  },
  true,
);

/** Nobody writes, chooses or decides something else just now. */
export function isFree(element: Element | null): boolean {
  if (!element || element === document.body || element.tagName === "MAIN") return true;
  if (element.closest("[data-ask], [role=dialog], [role=menu]")) return false;
  if (element instanceof HTMLTextAreaElement) return element.value === "" && !meant;
  if (element instanceof HTMLElement && element.isContentEditable)
    return element.textContent === "" && !meant;
  return element.closest("[role=log]") !== null && !isTyping(element);
}
