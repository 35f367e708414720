/** Tabs that come back: in their order, whatever somebody opens meanwhile. */
import { beforeEach, expect, test } from "vitest";
import { fresh } from "../test/browser.js";
import { keep } from "./kept.js";
import { Studio } from "./studio.js";

beforeEach(fresh);

test("a session that is opened before the tabs are back stands where it stood", async () => {
  keep("tabs", ["c", "b", "a"]);
  const studio = new Studio("http://here");
  let answer: (tabs: unknown) => void = () => {};
  studio.client.open = () => {};
  studio.client.ask = (frame: { type: string }) =>
    frame.type === "restore"
      ? new Promise((done) => {
          answer = (tabs) => done({ type: "tabs", tabs } as never);
        })
      : Promise.reject(new Error("Nobody is there."));
  const started = studio.start();
  void studio.openSession("of-c").catch(() => {});
  answer(["a", "b", "c"].map((id) => ({ tab_id: id, session_id: `of-${id}`, title: id })));
  await started;
  const { list, active } = studio.tabs.value;
  expect(list.map((tab) => tab.store.sessionId)).toEqual(["of-c", "of-b", "of-a"]);
  expect(studio.tab(active)?.store.sessionId).toBe("of-c");
});
