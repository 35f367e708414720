/** A value that views look at: set it, and those that look are drawn again. */
import { useSyncExternalStore } from "react";

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
  return useSyncExternalStore(watch.subscribe, watch.get);
}
