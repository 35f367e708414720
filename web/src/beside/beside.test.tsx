/** What stands beside the conversation, by what people read and press; the server is a table of answers. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, renderHook, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EMPTY, type Todo } from "../session/shape.js";
import { SessionStore } from "../session/store.js";
import { SessionContext, StudioContext } from "../studio/context.js";
import { Studio } from "../studio/studio.js";
import { Tips } from "../ui/tip.js";
import { Beside } from "./beside.js";
import { Meters } from "./meters.js";
import { tab, useBesideKeys } from "./tab.js";

type Answers = Record<string, unknown>;
const PROJECT = { id: "p", name: "shop", folder: "/shop", created_at: 0 };
const fetched = globalThis.fetch;
let asked: string[] = [];

beforeEach(() => {
  asked = [];
  tab.set("plan");
});
afterEach(() => {
  globalThis.fetch = fetched;
});

/** The view in a studio whose server answers with these, and with 404 to all else. */
function shown(view: ReactNode, answers: Answers, todos: Todo[] = [], session = true) {
  globalThis.fetch = async (address, init) => {
    const { pathname, search } = new URL(String(address));
    const name = `${init?.method ?? "GET"} ${pathname.replace("/api/", "")}`;
    asked.push(name + search);
    const told = answers[name + search] ?? answers[name];
    return told === undefined
      ? new Response(JSON.stringify({ code: "not_found", detail: `No ${name}.`, hint: "" }), { status: 404 })
      : new Response(JSON.stringify(told));
  };
  const studio = new Studio("http://here");
  const store = new SessionStore(studio.client, "tab", "s", "");
  const about = { folder: "/shop", project_id: "p", container: "" };
  store.about.set(about as NonNullable<typeof store.about.value>);
  store.view.set({ ...EMPTY, todos });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <StudioContext value={studio}>
        <SessionContext value={session ? store : null}>
          <Tips>{view}</Tips>
        </SessionContext>
      </StudioContext>
    </QueryClientProvider>,
  );
  return { studio, store };
}

test("the plan is ticked off as its list changes", async () => {
  const step = (status: string) => ({ content: "Read the parser", status, priority: "high" });
  const { store } = shown(<Beside />, { "GET projects": { projects: [PROJECT] } }, [step("in_progress")]);
  expect(screen.getByRole("listitem").getAttribute("aria-current")).toBe("step");
  store.view.set({ ...EMPTY, todos: [step("completed")] });
  await screen.findByText("1 of 1 done");
  expect(screen.getByRole("listitem").textContent).toBe("Done:Read the parser");
});

test("a list that was written before what is loaded is asked for", async () => {
  const todos = [{ content: "Long ago", status: "pending", priority: "low" }];
  shown(<Beside />, { "GET projects": { projects: [PROJECT] }, "GET sessions/s/todos": { todos } });
  expect((await screen.findByText("Long ago")).closest("li")?.textContent).toContain("To do");
});

test("without a session there are files and terminals, and words where there is no plan", async () => {
  const entries = [{ name: "a.txt", path: "a.txt", kind: "file", size: 1, ignored: false, target: "" }];
  shown(
    <Beside />,
    { "GET projects": { projects: [PROJECT] }, "GET projects/p/files": { entries, total: 1, next: null } },
    [],
    false,
  );
  expect(screen.getByRole("tabpanel").textContent).toContain("The plan of a session");
  await userEvent.click(screen.getByRole("tab", { name: "Files" }));
  expect(await screen.findByRole("treeitem", { name: "a.txt" })).toBeTruthy();
  expect(screen.getByRole("tree", { name: "Files of shop" })).toBeTruthy();
});

test("a change that is refused says why, and is forced only in a second step", async () => {
  const change = { path: "a.py", change: "modified", added: 1, removed: 2, before: "x", after: "y" };
  shown(<Beside />, {
    "GET projects": { projects: [PROJECT] },
    "GET sessions/s/changes": { folder: "/shop", changes: [{ ...change, now: "edited", mixed: false }] },
    "POST sessions/s/revert": { reverted: [], refused: { "a.py": "It was edited since." } },
  });
  await userEvent.click(screen.getByRole("tab", { name: "Changes" }));
  expect(await screen.findByText("Edited since")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Revert a.py" }));
  expect((await screen.findByRole("alert")).textContent).toContain("It was edited since.");
  expect(asked.filter((name) => name.startsWith("POST"))).toHaveLength(1);
  await userEvent.click(screen.getByRole("button", { name: "Revert anyway" }));
  await waitFor(() => expect(asked.filter((name) => name.startsWith("POST"))).toHaveLength(2));
});

test("what came with an import is shown and offers no way to revert it", async () => {
  const change = { path: "a.py", change: "deleted", added: 0, removed: 2, before: "x", after: "" };
  shown(<Beside />, {
    "GET projects": { projects: [PROJECT] },
    "GET sessions/s/changes": {
      folder: "/shop",
      changes: [{ ...change, now: "left", mixed: false, imported: true }],
    },
  });
  await userEvent.click(screen.getByRole("tab", { name: "Changes" }));
  expect(await screen.findByText("Imported")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Revert a.py" })).toBeNull();
  expect((screen.getByRole("button", { name: "Revert all" }) as HTMLButtonElement).disabled).toBe(true);
});

test("what cannot be loaded says so and is tried again", async () => {
  shown(<Beside />, {});
  await userEvent.click(screen.getByRole("tab", { name: "Files" }));
  expect((await screen.findByRole("alert")).textContent).toContain("No GET projects.");
  expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
});

test("meters tell how full and how dear it is, and break both down", async () => {
  const context = { model: "m", window: 1000, assumed: false, tokens: 420, counted: true, percent: 42 };
  const window = { hours: 24, cost: 5_000_000, limit: 20_000_000 };
  shown(<Meters />, {
    "GET sessions/s/context": { ...context, parts: { tools: 300, words: 120 }, compact_at: 80 },
    "GET sessions/s/usage": { models: [], calls: 1, tokens: 420, cost: 30_000 },
    "GET sessions/s/children": { sessions: [] },
    "GET usage": { days: [{ cost: 70_000 }], window },
    "POST sessions/s/compact": { changed: false },
  });
  await userEvent.click(await screen.findByRole("button", { name: "Context 42 % full" }));
  expect(screen.getByText("Your words").nextSibling?.textContent).toBe("120");
  await userEvent.click(screen.getByRole("button", { name: "Compact now" }));
  expect(await screen.findByText("There is nothing to drop yet.")).toBeTruthy();
  await userEvent.keyboard("{Escape}");
  await userEvent.click(screen.getByRole("button", { name: "Cost $0.03" }));
  expect((await screen.findByText("Left of it")).nextSibling?.textContent).toBe("$15.00");
  expect(screen.getByText("Today (UTC), all sessions").nextSibling?.textContent).toBe("$0.07");
});

test("without a session there are no meters", () => {
  shown(<Meters />, {}, [], false);
  expect(screen.queryByRole("group")).toBeNull();
});

test("a file that is wanted brings the files into view, by the way that holds then", () => {
  const studio = new Studio("http://here");
  const told: string[] = [];
  const { rerender } = renderHook(({ way }) => useBesideKeys(() => told.push(way)), {
    initialProps: { way: "first" },
    wrapper: ({ children }) => <StudioContext value={studio}>{children}</StudioContext>,
  });
  rerender({ way: "now" });
  act(() => studio.opened.set({ path: "a.txt" }));
  expect(told).toEqual(["now"]);
  expect(tab.value).toBe("files");
});

test("a folder that is found leads on into it, and is not opened as a file", async () => {
  shown(<Beside />, {
    "GET projects": { projects: [PROJECT] },
    "GET projects/p/files": { entries: [], total: 0, next: null },
    "GET projects/p/find": { found: [{ path: "src", kind: "folder" }], whole: true },
  });
  await userEvent.click(screen.getByRole("tab", { name: "Files" }));
  const field = await screen.findByRole<HTMLInputElement>("combobox", { name: "Find a file" });
  await userEvent.type(field, "s");
  await userEvent.click(await screen.findByRole("option", { name: "src" }));
  expect(field.value).toBe("src/");
  await waitFor(() => expect(asked.some((name) => name.includes("q=src%2F"))).toBe(true));
  expect(asked.filter((name) => name.startsWith("GET projects/p/file?"))).toEqual([]);
});
