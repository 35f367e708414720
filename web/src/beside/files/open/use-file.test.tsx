/** An open file and what is on disk: what somebody types is never written over. */
import { act, renderHook, waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { Http } from "../../../api/http.js";
import { fresh } from "../../../test/browser.js";
import { Disk } from "../disk.js";
import { useFile } from "./use-file.js";

const stored = { path: "a.txt", content: "one", version: "1", size: 3, next: 3, offset: 0, binary: false };
let answers: ((file: object) => void)[] = [];

beforeEach(() => {
  fresh();
  answers = [];
  globalThis.fetch = () =>
    new Promise((done) => answers.push((file) => done(new Response(JSON.stringify(file)))));
});

test("what is typed while the file is read anew stays, and both sides are offered", async () => {
  const disk = new Disk(new Http({ address: "http://here" }), "p");
  const { result } = renderHook(() => useFile(disk, "a.txt"));
  act(() => answers.shift()!(stored));
  await waitFor(() => expect(result.current.shown.text).toBe("one"));
  const loaded = result.current.load();
  act(() => result.current.edit(() => "one and mine", false));
  act(() => answers.shift()!({ ...stored, content: "theirs", version: "2" }));
  await act(() => loaded);
  expect(result.current.text()).toBe("one and mine");
  expect(result.current.shown.text).toBe("one");
  expect(result.current.parted).toBe("changed");
});
