/** The fold gives what the server's fold gave on the first day of each golden log. */
import { expect, test } from "vitest";
import type { Row } from "../api/client.js";
import { expected, golden, NAMES } from "../test/golden.js";
import { type Fold, START, step, type Told } from "./fold.js";

function replay(rows: Row[], state: Fold = START): [Fold, Told[]] {
  const told: Told[] = [];
  let now = state;
  for (const row of rows) {
    const [next, seen] = step(now, row);
    now = next;
    told.push(...seen);
  }
  return [now, told];
}

test("there are golden logs to prove it by", () => {
  expect(NAMES.length).toBeGreaterThan(30);
});

test.each(NAMES)("%s gives the events of its first day", (name) => {
  const [, told] = replay(golden(name));
  expect(told.map(({ index, sub, type }) => [index, sub, type])).toEqual(expected(name));
});

test.each(NAMES)("%s, cut anywhere and gone on with, gives the same", (name) => {
  const rows = golden(name);
  const [, whole] = replay(rows);
  for (let cut = 0; cut <= rows.length; cut++) {
    const [state, first] = replay(rows.slice(0, cut));
    const [, rest] = replay(rows.slice(cut), JSON.parse(JSON.stringify(state)) as Fold);
    expect([...first, ...rest]).toEqual(whole);
  }
});
