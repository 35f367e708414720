/** What the browser keeps of one part of the page is not dropped by another. */
import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { drafted, draftOf, keepDraft } from "../beside/files/drafts.js";
import { useDraft } from "../composer/draft.js";
import { fresh } from "../test/browser.js";

beforeEach(fresh);

/** Write a prompt for a session, and leave it. */
function write(session: string, text: string): void {
  const { result, unmount } = renderHook(() => useDraft(session));
  act(() => result.current.change((was) => ({ ...was, text })));
  unmount();
}

test("edits of a file stay however many prompts are begun, and so do the prompts", () => {
  write("first", "half a th");
  keepDraft("p", "a.txt", { text: "mine", version: "1" });
  for (let n = 0; n < 39; n++) write(`session ${n}`, "more");
  expect(localStorage.getItem("bottega.me.edit.p/a.txt")).toContain("mine");
  expect(draftOf("p", "a.txt")?.text).toBe("mine");
  expect(renderHook(() => useDraft("first")).result.current.draft.text).toBe("half a th");
  keepDraft("p", "a.txt", null);
  expect(drafted.value.size).toBe(0);
});

test("nothing else of the studio touches what a browser keeps", () => {
  const files: Record<string, string> = import.meta.glob(["../**/*.{ts,tsx}", "!../**/*.test.*"], {
    query: "?raw",
    import: "default",
    eager: true,
  });
  const keeps = /\b(?:localStorage|sessionStorage|indexedDB|caches|cookieStore|document\.cookie)\b/;
  const found = Object.keys(files).filter((name) => keeps.test(files[name]!) && !name.startsWith("../test/"));
  expect(found).toEqual(["../api/kept.ts"]);
});
