/** The sign of a session in a list. One that runs and asks something waits for the person. */
import { useWatch } from "../../studio/watch.js";
import type { SignOf } from "../../ui/sign.js";
import { seen, signOf } from "../seen.js";
import { useAsks } from "../waiting/asks.js";
import type { SessionRow } from "./sessions.js";

export function useRowSign({ id, status, outcome, last_index, updated_at }: SessionRow): SignOf {
  const looked = useWatch(seen);
  const { data: asks } = useAsks();
  if (asks?.some((ask) => ask.session_id === id)) return "waiting";
  return signOf({ id, status, outcome, last: last_index, at: updated_at }, looked);
}
