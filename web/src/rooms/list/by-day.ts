/** Sessions under the days on which they were last worked in, the newest first. */
import { texts } from "../../texts/texts.js";
import type { SessionRow } from "./sessions.js";

interface Day {
  key: string;
  name: string;
  rows: SessionRow[];
}

const NEAR = new Intl.DateTimeFormat("en", { weekday: "long" });
const FAR = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });

function start(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

function nameOf(at: number, today: number): string {
  const days = Math.round((today - start(at)) / 86_400_000);
  if (days <= 0) return texts.rooms.today;
  if (days === 1) return texts.rooms.yesterday;
  return days < 7 ? NEAR.format(at) : FAR.format(at);
}

export function byDay(rows: SessionRow[], now: number = Date.now()): Day[] {
  const today = start(now);
  const days: Day[] = [];
  for (const row of rows) {
    const name = nameOf(row.updated_at, today);
    const last = days.at(-1);
    if (last?.name === name) last.rows.push(row);
    else days.push({ key: `${name}-${days.length}`, name, rows: [row] });
  }
  return days;
}
