/** What a watched terminal is given: each byte once, over lost connections. */
import { expect, test } from "vitest";
import type { FrameIn, FrameOut } from "./client.js";
import { Problem } from "./http.js";
import { Shells, type Watcher } from "./shells.js";

/** The far end: it keeps what was said, and answers when told to. */
function line() {
  const said: FrameIn[] = [];
  const answers: { frame: FrameIn; resolve(answer: FrameOut): void; reject(error: Error): void }[] = [];
  const far = {
    said,
    answers,
    open: true,
    ask: (frame: FrameIn) =>
      new Promise<FrameOut>((resolve, reject) => {
        said.push(frame);
        answers.push({ frame, resolve, reject });
      }),
    tell: (frame: FrameIn) => {
      if (far.open) said.push(frame);
      return far.open;
    },
    async attached(size: number) {
      answers.shift()!.resolve({ type: "shell-attached", shell_id: "s", size });
      await Promise.resolve();
    },
  };
  return far;
}

function watcher() {
  const told: unknown[] = [];
  const watching: Watcher = {
    printed: (text, missed, old) => told.push([text, missed, old]),
    ended: (code) => told.push(["ended", code]),
    state: (state) => told.push(state),
  };
  return { told, watching };
}

const output = (offset: number, text: string) =>
  ({ type: "shell-output", shell_id: "s", offset, next: offset + text.length, text }) as const;

test("a lost connection loses nothing and doubles nothing", async () => {
  const far = line();
  const shells = new Shells(far);
  const { told, watching } = watcher();
  shells.watch("p", "s", watching);
  await far.attached(3);
  shells.hear(output(0, "abc"));
  shells.hear(output(3, "de"));
  shells.lost();
  shells.again();
  expect(far.said.at(-1)).toMatchObject({ type: "shell-attach", offset: 5 });
  await far.attached(7);
  shells.hear(output(3, "de"));
  shells.hear(output(5, "fg"));
  expect(told).toEqual(["attached", ["abc", 0, true], ["de", 0, false], "lost", "attached", ["fg", 0, true]]);
});

test("an attach that is not answered yet is not said a second time", async () => {
  const far = line();
  const shells = new Shells(far);
  shells.watch("p", "s", watcher().watching);
  shells.lost();
  shells.again();
  expect(far.said).toHaveLength(1);
});

test("what is no longer kept is told as missed", async () => {
  const far = line();
  const shells = new Shells(far);
  const { told, watching } = watcher();
  shells.watch("p", "s", watching, 10);
  await far.attached(40);
  shells.hear(output(30, "later"));
  expect(told.at(-1)).toEqual(["later", 20, true]);
});

test("a shell that is not there is gone, and a key that nobody hears is not typed later", async () => {
  const far = line();
  const shells = new Shells(far);
  const { told, watching } = watcher();
  shells.watch("p", "s", watching);
  far.answers.shift()!.reject(new Problem(0, "not_found", "There is no shell."));
  await new Promise((done) => setTimeout(done));
  expect(told).toEqual(["gone"]);
  far.open = false;
  expect(shells.type("p", "s", "rm\r")).toBe(false);
  far.open = true;
  shells.again();
  expect(far.said.filter((frame) => frame.type === "shell-input")).toEqual([]);
});

test("a long paste goes in pieces that are whole characters", () => {
  const far = line();
  const shells = new Shells(far);
  const text = "é😀".repeat(20_000);
  expect(shells.type("p", "s", text)).toBe(true);
  const typed = far.said.flatMap((frame) => (frame.type === "shell-input" ? [frame.text] : []));
  expect(typed.length).toBeGreaterThan(1);
  expect(typed.join("")).toBe(text);
  expect(typed.every((piece) => !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(piece))).toBe(true);
});

test("whoever stops watching is detached, even if the answer comes later", async () => {
  const far = line();
  const shells = new Shells(far);
  const { told, watching } = watcher();
  const stop = shells.watch("p", "s", watching);
  stop();
  await far.attached(0);
  expect(far.said.filter((frame) => frame.type === "shell-detach")).toHaveLength(2);
  shells.hear(output(0, "x"));
  expect(told).toEqual([]);
});
