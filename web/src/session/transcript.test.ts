/** The transcript: however its facts arrive, it is the same, and what did not change is the same object. */
import { expect, test } from "vitest";
import type { Row } from "../api/client.js";
import { golden, NAMES } from "../test/golden.js";
import type { Exchange, Item, ToolPart, Transcript } from "./shape.js";
import { Builder } from "./transcript.js";

function made(rows: Row[]): Transcript {
  const builder = new Builder();
  builder.take(rows);
  return builder.snapshot();
}

function exchanges(view: Transcript): Exchange[] {
  return view.items.filter((item): item is Exchange => item.kind === "exchange");
}

test.each(NAMES)("%s: taken at once or one by one, it is the same", (name) => {
  const rows = golden(name);
  const builder = new Builder();
  for (const row of rows) {
    builder.take([row]);
    builder.snapshot();
  }
  expect(builder.snapshot()).toEqual(made(rows));
});

test.each(NAMES)("%s: with the pieces of whole answers or without, it ends the same", (name) => {
  const rows = golden(name);
  const pieces = ["text_delta", "reasoning_delta", "input_json_delta", "tool_output_delta"];
  const whole = rows.filter(([, event]) => !pieces.includes(event.type));
  if (rows.some(([, event]) => event.type === "stream_reset" || event.type === "interrupted")) return;
  if (rows.some(([, event]) => event.type === "cancel_requested")) return;
  const untimed = (view: Transcript) =>
    JSON.parse(JSON.stringify(view, (key, value) => (["ms", "at", "first"].includes(key) ? 0 : value)));
  expect(untimed(made(whole)).items).toEqual(untimed(made(rows)).items);
});

test.each(NAMES)("%s: every exchange is over at its end, and nothing in it still runs", (name) => {
  const view = made(golden(name));
  for (const each of exchanges(view)) {
    expect(each.phase).toBe("over");
    expect(each.end).not.toBeNull();
    for (const part of each.parts) {
      if (part.kind === "tool") expect(["done", "failed", "denied", "interrupted"]).toContain(part.state);
      if (part.kind === "text" || part.kind === "reasoning") expect(part.streaming).toBe(false);
    }
  }
  expect(view.running).toBe("");
  expect(view.asks).toEqual([]);
});

test.each(NAMES)("%s: begun in the middle, it still comes to its end", (name) => {
  const rows = golden(name);
  for (let cut = 1; cut < rows.length; cut++) {
    const view = made(rows.slice(cut));
    expect(view.running).toBe("");
    expect(new Set(view.items.map((item) => item.key)).size).toBe(view.items.length);
  }
});

test("keys of parts are the same while they are streamed and once they are whole", () => {
  const rows = golden("tool-call");
  const builder = new Builder();
  const keys: string[][] = [];
  for (const row of rows) {
    builder.take([row]);
    const [first] = exchanges(builder.snapshot());
    if (first) keys.push(first.parts.map((part) => `${part.key}:${part.kind}`));
  }
  for (const [n, now] of keys.entries()) {
    const before = keys[n - 1] ?? [];
    expect(now.slice(0, before.length)).toEqual(before);
  }
});

test("what did not change is the same object", () => {
  const rows = golden("queue-and-settings");
  const builder = new Builder();
  let before: Item[] = [];
  for (const row of rows) {
    builder.take([row]);
    const { items } = builder.snapshot();
    const same = items.filter((item, n) => item === before[n]).length;
    expect(same).toBeGreaterThanOrEqual(Math.max(0, before.length - 1));
    before = items;
  }
});

test("with an older page before it, what is over stays the same object", () => {
  let kept = 0;
  for (const rows of NAMES.map(golden))
    for (const [cut, [, event]] of rows.entries()) {
      if (event.type !== "prompt_queued") continue;
      const tail = made(rows.slice(cut));
      const builder = new Builder();
      builder.take(rows);
      builder.reuse(tail);
      const { items } = builder.snapshot();
      expect(items).toEqual(made(rows).items);
      if (cut) kept += items.filter((item) => item.kind === "exchange" && tail.items.includes(item)).length;
    }
  expect(kept).toBeGreaterThan(0);
});

test("what is written in two parts is not written on once it was broken off", () => {
  const told: [type: string, data: object][] = [
    ["user_message", { content: [{ type: "text", text: "go" }] }],
    ["message_start", {}],
    ["text_delta", { text: "one" }],
    ["mode_changed", { mode: "allow" }],
    ["text_delta", { text: "two" }],
    ["interrupted", { reason: "The process ended." }],
  ];
  const rows = told.map(([type, data], n) => [n + 1, { type, at: n, message_id: "m", data }]);
  const [exchange] = exchanges(made(rows as unknown as Row[]));
  const texts = exchange?.parts.flatMap((part) => (part.kind === "text" ? [part] : []));
  expect(texts?.map(({ text, streaming }) => [text, streaming])).toEqual([
    ["one", false],
    ["two", false],
  ]);
});

test("a call has one card, which is filled in place", () => {
  const rows = golden("tool-call");
  const states: string[] = [];
  const builder = new Builder();
  for (const row of rows) {
    builder.take([row]);
    const tools = exchanges(builder.snapshot()).flatMap((each) =>
      each.parts.filter((part): part is ToolPart => part.kind === "tool"),
    );
    expect(tools.length).toBeLessThanOrEqual(1);
    if (tools[0] && states.at(-1) !== tools[0].state) states.push(tools[0].state);
  }
  expect(states).toEqual(["writing", "planned", "running", "done"]);
});
