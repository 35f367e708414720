/** The time, told to a view every so often while it wants to know. */
import { useEffect, useState } from "react";

export function useNow(every: number, wanted = true): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!wanted) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every, wanted]);
  return now;
}
