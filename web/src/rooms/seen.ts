/**
 * What this browser has looked at: of each session the last index that stood on the screen. An end that came after it
 * is news, and keeps its sign until somebody looks.
 */
import { keep, kept } from "../studio/kept.js";
import { Watch } from "../studio/watch.js";
import type { SignOf } from "../ui/sign.js";

/** More sessions than this are not remembered; the ones looked at longest ago go first. */
const MOST = 1000;

export const seen = new Watch<Record<string, number>>(kept("seen", {}));

/** From when on this browser looks: what ended before is no news. */
export const since = kept<number>("since", Date.now());
keep("since", since);

export function look(sessionId: string, index: number): void {
  const { [sessionId]: before = 0, ...rest } = seen.value;
  if (index <= before) return;
  const all = Object.entries(rest).slice(-(MOST - 1));
  seen.set({ ...Object.fromEntries(all), [sessionId]: index });
  keep("seen", seen.value);
}

interface Stand {
  id: string;
  status: string;
  outcome: string;
  last: number;
  at: number;
}

const ENDS: Record<string, SignOf> = {
  done: "done",
  failed: "failed",
  interrupted: "failed",
  stopped: "stopped",
  limited: "stopped",
};

/** What a session shows of itself; "idle": nothing that needs a sign. */
export function signOf({ id, status, outcome, last, at }: Stand, looked: Record<string, number>): SignOf {
  if (status === "working" || status === "running") return "working";
  if (status === "waiting" || status === "queued") return status;
  const known = looked[id];
  const news = known === undefined ? at > since : last > known;
  return (news && ENDS[outcome]) || "idle";
}
