/**
 * Whoever looks elsewhere is told what newly waits, once, and only if they wanted that.
 *
 * A document without a screen has no notifications and cannot be hidden: both are made here, and nothing else is.
 */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, renderHook, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StudioContext } from "../studio/context.js";
import { useNotifying } from "../studio/notifying.js";
import { Studio } from "../studio/studio.js";
import { Attention } from "./attention.js";

const shown: Told[] = [];
let asks: object[] = [];
let sessions: object[] = [];

class Told {
  static permission = "default";
  static async requestPermission() {
    Told.permission = "granted";
    return Told.permission;
  }
  onclick: (() => void) | null = null;
  closed = false;
  readonly body: string;
  constructor(
    readonly title: string,
    options: { body: string },
  ) {
    this.body = options.body;
    shown.push(this);
  }
  close() {
    this.closed = true;
  }
}
const said = () => shown.map(({ title, body }) => ({ title, body }));

const ask = (id: string) => ({
  id,
  session_id: `ses-${id}`,
  title: `Session ${id}`,
  kind: "tool",
  tool_name: "bash_exec",
  input: { command: "make test" },
  detail: { command: "make test" },
  created_at: 1,
});

async function page(hidden: boolean) {
  vi.spyOn(document, "hidden", "get").mockReturnValue(hidden);
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const studio = new Studio("http://here");
  render(
    <QueryClientProvider client={queries}>
      <StudioContext value={studio}>
        <Attention />
      </StudioContext>
    </QueryClientProvider>,
  );
  await waitFor(() => expect(queries.isFetching()).toBe(0));
  return { queries, studio };
}

/** As the switch does it. */
async function want(notify: boolean): Promise<void> {
  const { result } = renderHook(useNotifying);
  await act(async () => (notify ? result.current.allow() : result.current.refuse()));
}

beforeEach(async () => {
  vi.stubGlobal("Notification", Told);
  vi.stubGlobal("isSecureContext", true);
  document.head.innerHTML = '<link rel="icon" href="./icon.svg">';
  asks = [];
  sessions = [];
  shown.length = 0;
  globalThis.fetch = async (address) =>
    new Response(JSON.stringify(String(address).includes("/asks") ? { asks } : { sessions, next: "" }));
  await want(true);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test("what newly waits is told once while the page is hidden, and stands in its title", async () => {
  asks = [ask("old")];
  const { queries, studio } = await page(true);
  await waitFor(() => expect(document.title).toBe("(1) Bottega"));
  expect(said()).toEqual([]);
  asks = [ask("old"), ask("new")];
  await queries.invalidateQueries({ queryKey: ["asks"] });
  await queries.invalidateQueries({ queryKey: ["asks"] });
  await waitFor(() => expect(said()).toEqual([{ title: "Session new", body: "Run make test" }]));
  expect(document.title).toBe("(2) Bottega");
  expect(document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.getAttribute("href")).toBe(
    "./icon-waiting.svg",
  );
  shown[0]?.onclick?.();
  expect(studio.active?.store.sessionId).toBe("ses-new");
  expect(shown[0]?.closed).toBe(true);
});

test("what ended is told while the page is hidden", async () => {
  const row = { id: "s", title: "Build", status: "running", outcome: "", updated_at: 1, last_index: 1 };
  sessions = [row];
  const { queries } = await page(true);
  sessions = [{ ...row, status: "idle", outcome: "failed" }];
  await queries.invalidateQueries({ queryKey: ["sessions"] });
  await waitFor(() => expect(said()).toEqual([{ title: "Build", body: "It failed." }]));
});

test.each([
  ["looks at the page", false, true],
  ["did not want it", true, false],
])("nobody is told who %s", async (_, hidden, wants) => {
  await want(wants);
  const { queries } = await page(hidden);
  asks = [ask("new")];
  await queries.invalidateQueries({ queryKey: ["asks"] });
  await waitFor(() => expect(document.title).toBe("(1) Bottega"));
  expect(said()).toEqual([]);
});
