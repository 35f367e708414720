/**
 * Where the reader is. At the end, the end is followed as it grows; whoever scrolls up is left alone until they come
 * back. A tab that is shown again stands where it stood.
 */
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";
import type { SessionStore } from "../../session/store.js";

/** Pixels from the end that count as the end. */
const NEAR = 40;

interface Stood {
  sticks: boolean;
  top: number;
  /** How high each exchange was when it was last laid out. */
  heights: Map<string, number>;
}

const stood = new WeakMap<SessionStore, Stood>();

export function placeOf(store: SessionStore): Stood {
  const known = stood.get(store) ?? { sticks: true, top: 0, heights: new Map<string, number>() };
  stood.set(store, known);
  return known;
}

interface Scrolling {
  /** The reader is not at the end. */
  away: boolean;
  onScroll(): void;
  toEnd(): void;
  /** Stay here, whatever comes. */
  stay(): void;
}

export function useScrolling(
  store: SessionStore,
  box: RefObject<HTMLElement | null>,
  inner: RefObject<HTMLElement | null>,
): Scrolling {
  const place = placeOf(store);
  const [away, setAway] = useState(!place.sticks);
  const last = useRef(0);
  const set = useCallback(
    (sticks: boolean) => {
      place.sticks = sticks;
      setAway(!sticks);
    },
    [place],
  );
  const toEnd = useCallback(() => {
    set(true);
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [box, set]);
  useLayoutEffect(() => {
    const [outer, content] = [box.current, inner.current];
    if (!outer || !content) return;
    outer.scrollTop = place.sticks ? outer.scrollHeight : place.top;
    last.current = outer.scrollTop;
    const watch = new ResizeObserver(() => {
      if (place.sticks) outer.scrollTop = outer.scrollHeight;
    });
    watch.observe(content);
    watch.observe(outer);
    return () => watch.disconnect();
  }, [box, inner, place]);
  const onScroll = () => {
    const outer = box.current;
    if (!outer) return;
    const gap = outer.scrollHeight - outer.scrollTop - outer.clientHeight;
    const up = outer.scrollTop < last.current;
    last.current = outer.scrollTop;
    place.top = outer.scrollTop;
    if (gap <= NEAR) {
      if (!place.sticks) set(true);
    } else if (up && place.sticks) set(false);
  };
  const stay = useCallback(() => set(false), [set]);
  return { away, onScroll, toEnd, stay };
}
