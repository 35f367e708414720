/** What this browser remembers: small values under one name each. A browser that keeps nothing only forgets. */
import { useCallback, useState } from "react";

const PREFIX = "bottega.";

export function kept<T>(name: string, otherwise: T, where: () => Storage = () => localStorage): T {
  try {
    const text = where().getItem(PREFIX + name);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

export function keep(name: string, value: unknown, where: () => Storage = () => localStorage): void {
  try {
    if (value === undefined) where().removeItem(PREFIX + name);
    else where().setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Full or forbidden: the page works without.
  }
}

/** A state that comes back after the page was loaded again. */
export function useKept<T>(name: string, otherwise: T): [T, (next: T) => void] {
  const [value, setValue] = useState<T>(() => kept(name, otherwise));
  const set = useCallback(
    (next: T) => {
      setValue(next);
      keep(name, next);
    },
    [name],
  );
  return [value, set];
}
