/** A value that views look at: set it, and those that look are drawn again. */
import { useRef, useSyncExternalStore } from "react";

export class Watch<T> {
  private watchers = new Set<() => void>();

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set(next: T): void {
    if (Object.is(next, this.current)) return;
    this.current = next;
    for (const each of [...this.watchers]) each();
  }

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  readonly get = (): T => this.current;
}

export function useWatch<T>(watch: Watch<T>): T {
  return useSyncExternalStore(watch.subscribe, watch.get, watch.get);
}

/** Only what `pick` takes of it: drawn again when one of these changes. */
export function usePick<T, R extends object>(watch: Watch<T>, pick: (value: T) => R): R {
  const last = useRef<R>(undefined);
  const get = () => {
    const next = pick(watch.value);
    if (!last.current || !alike(last.current, next)) last.current = next;
    return last.current;
  };
  return useSyncExternalStore(watch.subscribe, get);
}

function alike<R extends object>(a: R, b: R): boolean {
  return (Object.keys(b) as (keyof R)[]).every(
    (key) => Object.is(a[key], b[key]) || sameList(a[key], b[key]),
  );
}

function sameList(a: unknown, b: unknown): boolean {
  return (
    Array.isArray(a) &&
    Array.isArray(b) &&
    a.length === b.length &&
    a.every((each, n) => Object.is(each, b[n]))
  );
}
