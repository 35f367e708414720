/** Whoever looks elsewhere is told what newly waits, once, and only if they wanted that. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StudioContext } from "../studio/context.js";
import { keep } from "../studio/kept.js";
import { Studio } from "../studio/studio.js";

const shown: { title: string; body: string }[] = [];
let asks: object[] = [];
let sessions: object[] = [];

class Told {
  static permission = "granted";
  static requestPermission = async () => "granted";
  onclick: (() => void) | null = null;
  constructor(title: string, { body }: { body: string }) {
    shown.push({ title, body });
  }
  close() {}
}

const ask = (id: string) => ({
  id,
  session_id: `ses-${id}`,
  title: `Session ${id}`,
  kind: "tool",
  tool_name: "bash_exec",
  input: { command: "make test" },
  created_at: 1,
});

async function page(hidden: boolean) {
  vi.spyOn(document, "hidden", "get").mockReturnValue(hidden);
  const { Attention } = await import("./attention.js");
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={queries}>
      <StudioContext value={new Studio("http://here")}>
        <Attention />
      </StudioContext>
    </QueryClientProvider>,
  );
  await waitFor(() => expect(queries.isFetching()).toBe(0));
  return queries;
}

beforeEach(() => {
  vi.stubGlobal("Notification", Told);
  vi.stubGlobal("isSecureContext", true);
  document.head.innerHTML = '<link rel="icon" href="./icon.svg">';
  keep("notify", true);
  asks = [];
  sessions = [];
  shown.length = 0;
  globalThis.fetch = async (address) =>
    new Response(JSON.stringify(String(address).includes("/asks") ? { asks } : { sessions, next: "" }));
});
afterEach(() => {
  vi.restoreAllMocks();
});

test("what newly waits is told once while the page is hidden, and stands in its title", async () => {
  asks = [ask("old")];
  const queries = await page(true);
  await waitFor(() => expect(document.title).toBe("(1) Bottega"));
  expect(shown).toEqual([]);
  asks = [ask("old"), ask("new")];
  await queries.invalidateQueries({ queryKey: ["asks"] });
  await queries.invalidateQueries({ queryKey: ["asks"] });
  await waitFor(() => expect(shown).toEqual([{ title: "Session new", body: "Run make test" }]));
  expect(document.title).toBe("(2) Bottega");
  expect(document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.getAttribute("href")).toBe(
    "./icon-waiting.svg",
  );
});

test("what ended is told while the page is hidden", async () => {
  const row = { id: "s", title: "Build", status: "running", outcome: "", updated_at: 1, last_index: 1 };
  sessions = [row];
  const queries = await page(true);
  sessions = [{ ...row, status: "idle", outcome: "failed" }];
  await queries.invalidateQueries({ queryKey: ["sessions"] });
  await waitFor(() => expect(shown).toEqual([{ title: "Build", body: "It failed." }]));
});

test("nobody is told who looks at the page, or who did not want it", async () => {
  const queries = await page(false);
  asks = [ask("new")];
  await queries.invalidateQueries({ queryKey: ["asks"] });
  await waitFor(() => expect(document.title).toBe("(1) Bottega"));
  expect(shown).toEqual([]);
});
