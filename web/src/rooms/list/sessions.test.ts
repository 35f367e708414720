/** Lists of sessions: what is newest counts, each stands once, and what is gone is not shown. */
import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { byDay } from "./by-day.js";
import { merged, put, type SessionRow } from "./sessions.js";

function row(id: string, updated_at: number, more: Partial<SessionRow> = {}): SessionRow {
  return {
    id,
    title: id,
    agent: "",
    model: "",
    folder: "",
    project_id: "",
    container: "",
    mode: "",
    status: "idle",
    outcome: "",
    pinned: false,
    archived: false,
    demo: false,
    created_at: 0,
    updated_at,
    last_index: 1,
    depth: 0,
    ...more,
  };
}

test("a session stands once, as the newest page has it", () => {
  const rows = merged([row("a", 9, { title: "new" }), row("b", 8)], [row("a", 3), row("b", 8), row("c", 2)]);
  expect(rows.map(({ id, title }) => [id, title])).toEqual([
    ["a", "new"],
    ["b", "b"],
    ["c", "c"],
  ]);
});

test("one that should be among the newest and is not was deleted elsewhere", () => {
  expect(merged([row("a", 9), row("b", 5)], [row("gone", 7), row("c", 4)]).map(({ id }) => id)).toEqual([
    "a",
    "b",
    "c",
  ]);
});

test("a change reaches every list, and what is deleted leaves every list", () => {
  const queries = new QueryClient();
  const page = { sessions: [row("a", 2), row("b", 1)], next: "" };
  queries.setQueryData(["sessions", "newest", false], page);
  queries.setQueryData(["older", false], { pages: [page], pageParams: [""] });
  put(queries, "a", { title: "other" });
  put(queries, "b", null);
  const newest = queries.getQueryData<typeof page>(["sessions", "newest", false]);
  const older = queries.getQueryData<{ pages: (typeof page)[] }>(["older", false]);
  for (const each of [newest, older?.pages[0]])
    expect(each?.sessions.map(({ id, title }) => [id, title])).toEqual([["a", "other"]]);
});

test("sessions stand under today, yesterday, days of the week, and months", () => {
  const now = new Date(2026, 10, 16, 12).getTime();
  const at = (days: number) => row(`d${days}`, now - days * 86_400_000);
  const days = byDay([at(0), at(1), at(3), at(40), at(41)], now);
  expect(days.map(({ name, rows }) => [name, rows.length])).toEqual([
    ["Today", 1],
    ["Yesterday", 1],
    ["Friday", 1],
    ["October 2026", 2],
  ]);
});
