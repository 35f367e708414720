/** The keys of the box. */
import type { KeyboardEvent } from "react";
import { enterMeans } from "../studio/enter.js";
import type { History } from "./history.js";
import type { Offers } from "./offer/use-offers.js";

interface Given {
  offers: Offers | null;
  history: History;
  put(text: string, caret: number): void;
  send(steer: boolean): void;
  cycle(): void;
}

export function keysOf({ offers, history, put, send, cycle }: Given) {
  return (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // A word that is still being composed takes every key.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (offers?.keyDown(event)) return;
    const mod = event.metaKey || event.ctrlKey;
    const means = enterMeans(event);
    if (means) {
      event.preventDefault();
      send(means === "steer");
    } else if (event.key === "Tab" && event.shiftKey) {
      event.preventDefault();
      cycle();
    } else if (!mod && !event.shiftKey && !event.altKey) {
      const by = ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key];
      const box = event.currentTarget;
      if (by) whenStuck(box, () => step(by, box));
    }
  };

  function step(by: 1 | -1, box: HTMLTextAreaElement): void {
    const text = history.step(by, box.value);
    // At its beginning on the way up, at its end on the way down: the next press goes on.
    if (text !== null) put(text, by < 0 ? 0 : text.length);
  }
}

/** The browser moves the caret first: where it cannot, the box has no line there. That holds for wrapped lines, too. */
function whenStuck(box: HTMLTextAreaElement, then: () => void): void {
  const { selectionStart, selectionEnd, value } = box;
  if (selectionStart !== selectionEnd) return;
  requestAnimationFrame(() => {
    if (box.selectionStart === selectionStart && box.value === value) then();
  });
}
