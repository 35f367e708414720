/**
 * The card of an ask: never over the page, always in its place. It takes the focus when it appears, unless somebody is
 * writing; its keys count once the keyboard has been quiet, so that nothing is decided by a letter meant for elsewhere.
 * Nor by a press that was meant for another ask: one that comes, goes or has new choices holds all keys and buttons for a moment.
 */
import { CircleHelp } from "lucide-react";
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { Ask } from "../../session/shape.js";
import { isTyping } from "../../studio/commands.js";
import { texts } from "../../texts/texts.js";
import { isFree } from "./free.js";
import { hold, useHeld } from "./held.js";

/** Milliseconds without a key after which a key is meant for the card. */
const QUIET = 300;

interface Props {
  ask: Ask;
  title: string;
  /** What each key does; a key as `event.key` has it, in lower case. */
  keys: Record<string, () => void>;
  /** Its keys and buttons do something else now than they did at first. */
  turned?: boolean;
  children: ReactNode;
}

export function Frame({ ask, title, keys, turned = false, children }: Props) {
  const card = useRef<HTMLDivElement>(null);
  const id = useId();
  const [ready, isQuiet, wait] = useQuiet();
  const held = useHeld();
  const kept = useKeptFocus(card);
  useFocus(card, wait);
  useLayoutEffect(() => {
    if (!turned) return;
    wait();
    hold();
  }, [turned, wait]);
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const does = keys[event.key.toLowerCase()];
    if (!does) return;
    event.preventDefault();
    if (event.repeat) return;
    if (isQuiet.current && isInSight(card.current)) return does();
    card.current?.scrollIntoView({ block: "nearest" });
    wait();
  };
  const child = (ask.detail.child as { agent?: string } | undefined)?.agent;
  return (
    // biome-ignore lint/a11y/useSemanticElements: its keys decide, not its fields
    <div
      role="group"
      ref={card}
      tabIndex={-1}
      aria-labelledby={id}
      data-ask={ask.id}
      data-ready={ready || undefined}
      data-held={held || undefined}
      onKeyDown={press}
      {...kept}
      className="own-box data-held:[&_button]:pointer-events-none relative z-1 isolate my-2 flex flex-col gap-3 rounded-panel border border-care bg-surface p-3 text-sm outline-none focus-visible:outline-2 focus-visible:outline-care focus-visible:outline-solid"
    >
      <h4 id={id} className="flex items-center gap-2 font-semibold">
        <CircleHelp size={16} className="shrink-0 text-care" aria-hidden />
        <span className="own-box min-w-0">{child ? texts.conversation.asks.by(child, title) : title}</span>
      </h4>
      {children}
    </div>
  );
}

/** False for a moment, and for as long as keys keep coming. `is` knows it before it is drawn. */
function useQuiet(): [ready: boolean, is: { current: boolean }, wait: () => void] {
  const [ready, setReady] = useState(true);
  const is = useRef(true);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const become = useRef((now: boolean) => {
    is.current = now;
    setReady(now);
  });
  const wait = useRef(() => {
    become.current(false);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => become.current(true), QUIET);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  return [ready, is, wait.current];
}

/** Take the focus if nobody needs it, and hand it on when the card goes. */
function useFocus(card: { current: HTMLElement | null }, wait: () => void): void {
  useLayoutEffect(() => {
    const before = document.activeElement;
    if (isFree(before)) {
      const first = card.current?.querySelector<HTMLElement>("[data-first]");
      (first ?? card.current)?.focus({ preventScroll: true });
      wait();
    }
    const mine = card.current!;
    waits.set(mine, wait);
    hold();
    return () => {
      hold();
      if (!mine.contains(document.activeElement)) return;
      requestAnimationFrame(() => {
        const after = next(before, mine);
        after?.focus({ preventScroll: true });
        if (!after || !waits.has(after)) return;
        waits.get(after)!();
        after.scrollIntoView({ block: "nearest" });
      });
    };
  }, [card, wait]);
}

/** A button that goes when it is pressed leaves the focus to its card. */
function useKeptFocus(card: { current: HTMLElement | null }) {
  const has = useRef(false);
  useLayoutEffect(() => {
    if (has.current && document.activeElement === document.body) card.current?.focus({ preventScroll: true });
  });
  return {
    onFocus: () => {
      has.current = true;
    },
    onBlur: () => {
      has.current = false;
    },
  };
}

/** What has a card wait for a quiet keyboard. */
const waits = new WeakMap<HTMLElement, () => void>();

/** Something of a card can be seen: nothing is decided that is not. */
function isInSight(card: HTMLElement | null): boolean {
  if (!card) return false;
  const { top, bottom } = card.getBoundingClientRect();
  const around = card.closest("[role=log]")?.getBoundingClientRect();
  return bottom >= (around?.top ?? 0) && top <= (around?.bottom ?? innerHeight);
}

/** What has the focus next: another ask, else what had it before, else the prompt. */
function next(before: Element | null, gone: HTMLElement): HTMLElement | null {
  const asks = [...document.querySelectorAll<HTMLElement>("[data-ask]")].filter((each) => each !== gone);
  if (asks[0]) return asks[0];
  if (before instanceof HTMLElement && before.isConnected && before !== document.body) return before;
  return document.querySelector<HTMLElement>(`textarea[aria-label="${texts.conversation.asks.prompt}"]`);
}
