/** An end is news until somebody looks, and no longer. */
import { beforeEach, expect, test } from "vitest";
import { look, seen, signOf, since } from "./seen.js";

const stand = { id: "s", status: "idle", outcome: "done", last: 10, at: since + 1 };

beforeEach(() => seen.set({}));

test("what runs or waits says so, looked at or not", () => {
  expect(signOf({ ...stand, status: "running" }, { s: 99 })).toBe("working");
  expect(signOf({ ...stand, status: "working" }, {})).toBe("working");
  expect(signOf({ ...stand, status: "waiting" }, { s: 99 })).toBe("waiting");
});

test("an end keeps its sign until it was looked at", () => {
  expect(signOf(stand, seen.value)).toBe("done");
  look("s", 10);
  expect(signOf(stand, seen.value)).toBe("idle");
  expect(signOf({ ...stand, last: 12, outcome: "failed" }, seen.value)).toBe("failed");
});

test("what ended before this browser first came is no news", () => {
  expect(signOf({ ...stand, at: since - 1 }, {})).toBe("idle");
});

test("looking back at less takes nothing away, and only so many sessions are remembered", () => {
  look("s", 10);
  look("s", 3);
  expect(seen.value.s).toBe(10);
  seen.set(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`other-${n}`, 1])));
  look("s", 1);
  expect(Object.keys(seen.value)).toHaveLength(1000);
  expect(seen.value["other-0"]).toBeUndefined();
  expect(seen.value.s).toBe(1);
});
