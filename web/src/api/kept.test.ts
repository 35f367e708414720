/** What the browser keeps is one person's, and goes with them. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fresh } from "../test/browser.js";

beforeEach(fresh);
afterEach(() => vi.resetModules());

/** A page that is loaded now. */
async function page() {
  vi.resetModules();
  return import("./kept.js");
}

test("what one person kept is not another's, and does not come back for them", async () => {
  const mine = await page();
  mine.keep("history", ["my words"]);
  mine.keep("active", "a", "window");
  mine.keepText("theme", "dark");
  expect((await page()).kept("history", [])).toEqual(["my words"]);

  localStorage.setItem("bottega-person:", "you");
  const yours = await page();
  expect(yours.kept("history", [])).toEqual([]);
  expect(yours.kept("active", "", "window")).toBe("");
  expect(yours.keptText("theme")).toBe("dark");
  mine.keep("history", ["typed in the old page"]);
  expect(JSON.stringify({ ...localStorage })).not.toContain("typed in the old page");
});

test("whoever signs out leaves nothing but how the page looks", async () => {
  const { forget, keep, keepText, looks } = await page();
  localStorage.setItem("bottega-page:", "key");
  localStorage.setItem("bottega.history", '["kept before anybody had a name"]');
  keep("draft.ses_1", { text: "half a word" });
  keep("active", "a", "window");
  keepText("theme", "dark");
  const seen = looks();
  localStorage.removeItem("bottega.theme");
  forget(seen);
  expect({ ...localStorage }).toEqual({ "bottega.theme": "dark" });
  expect({ ...sessionStorage }).toEqual({});
  keep("draft.ses_1", { text: "a word that came late" });
  expect({ ...localStorage }).toEqual({ "bottega.theme": "dark" });
});

test("where nobody knows whose it is, it waits in the page until the server has said so", async () => {
  localStorage.clear();
  localStorage.setItem("bottega-page:", "key");
  localStorage.setItem("bottega.history", '["somebody\'s"]');
  const { keep, kept, ownedBy, pageKey } = await page();
  expect(kept("history", [])).toEqual([]);
  keep("history", ["mine"]);
  expect(kept("history", [])).toEqual(["mine"]);
  expect(JSON.stringify({ ...localStorage })).not.toContain("mine");
  expect(ownedBy("me")).toBe(true);
  expect(localStorage.getItem("bottega.history")).toBeNull();
  expect((await page()).kept("history", [])).toEqual(["mine"]);
  expect(pageKey()).toBe("key");
});

test("a page that was loaded for somebody else says so, and keeps nothing of theirs", async () => {
  const { keep, ownedBy, isCurrent } = await page();
  localStorage.setItem("bottega-page:", "key");
  keep("history", ["mine"]);
  expect(isCurrent()).toBe(true);
  expect(ownedBy("you")).toBe(false);
  expect(isCurrent()).toBe(false);
  expect(JSON.stringify({ ...localStorage })).not.toContain("mine");
});
