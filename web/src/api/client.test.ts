/** The one socket: however often it is lost and hurried on, there is one connection, and what comes over it is heard. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client, type State } from "./client.js";

/** The far end, as a browser has it: each socket is opened and closed by the test. */
class Line {
  static all: Line[] = [];
  static get open() {
    return Line.all.filter((each) => !each.closed);
  }
  said: { type: string; ref?: string }[] = [];
  closed = false;
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  constructor() {
    Line.all.push(this);
  }
  send(text: string): void {
    this.said.push(JSON.parse(text));
  }
  close(): void {
    this.closed = true;
  }
}

/** Tickets are given when the test says so. */
let tickets: (() => void)[] = [];
const settled = () => new Promise((done) => setTimeout(done));
async function give(): Promise<void> {
  tickets.shift()!();
  await settled();
}

beforeEach(() => {
  Line.all = [];
  tickets = [];
  vi.stubGlobal("WebSocket", Line);
  globalThis.fetch = () =>
    new Promise((done) => tickets.push(() => done(new Response(JSON.stringify({ ticket: "t" })))));
});
afterEach(() => {
  vi.unstubAllGlobals();
});

function begun() {
  const states: State[] = [];
  const client = new Client({ address: "http://here" }, { state: (state) => states.push(state) });
  client.open();
  return { client, states };
}

test("whoever hurries twice has one connection, and what was asked for is answered over it", async () => {
  const { client, states } = begun();
  client.cut();
  client.hurry();
  client.hurry();
  const answer = client.ask({ type: "hidden", tab_id: "a" });
  while (tickets.length) await give();
  expect(Line.open).toHaveLength(1);
  const [line] = Line.open;
  for (const each of Line.all) each.onopen?.();
  expect(states).toEqual(["lost", "open"]);
  const asked = line!.said.find(({ type }) => type === "hidden");
  line!.onmessage?.({ data: JSON.stringify({ type: "hidden", tab_id: "a", ref: asked?.ref }) });
  expect(await answer).toMatchObject({ type: "hidden" });
  client.close();
});

test("a socket that was given up is not heard any more, whatever it still says", async () => {
  const { client, states } = begun();
  await give();
  const [first] = Line.all;
  client.cut();
  expect(first?.closed).toBe(true);
  first!.onopen?.();
  first!.onclose?.();
  expect(states).toEqual(["lost"]);
  client.close();
});

test("a tab that is closed without a connection is not restored by the next one", async () => {
  const { client } = begun();
  await give();
  Line.all[0]!.onopen?.();
  const opened = client.newTab({ tab_id: "a", session_id: "s" });
  const asked = Line.all[0]!.said.find(({ type }) => type === "new-tab");
  const created = { type: "session-created", tab_id: "a", session_id: "s", ref: asked?.ref };
  Line.all[0]!.onmessage?.({ data: JSON.stringify(created) });
  await opened;
  client.cut();
  const closed = client.closeTab("a").catch(() => {});
  client.hurry();
  await give();
  const line = Line.open[0]!;
  line.onopen?.();
  expect(line.said.map(({ type }) => type)).toEqual(["close-tab"]);
  client.close();
  await closed;
});
