/** A stage for tests: a session with a log, and whatever view around which it stands. Nobody answers behind it, but what
 * is asked is known. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import type { Row } from "../api/client.js";
import { SessionStore } from "../session/store.js";
import { Builder } from "../session/transcript.js";
import { SessionContext, StudioContext } from "../studio/context.js";
import { Studio } from "../studio/studio.js";
import { Tips } from "../ui/tip.js";

/** Facts of one exchange, with indexes and times of their own. */
export function facts(
  ...events: { type: string; data?: object; message_id?: string; step?: number }[]
): Row[] {
  return events.map(
    (event, n) => [n + 1, { at: 1_000 + n * 1_000, message_id: "m1", data: {}, ...event }] as unknown as Row,
  );
}

export const said = (text: string) => ({ type: "user_message", data: { content: [{ type: "text", text }] } });
export const started = { type: "message_start", data: { model: "sonnet", provider: "p" }, step: 1 };
export const answered = (...content: object[]) => ({
  type: "assistant_message",
  data: { content, stop_reason: "tool_use", usage: {}, model: "sonnet" },
  step: 1,
});
export const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
export const ended = (more: object = {}) => ({
  type: "exchange_response",
  data: {
    success: true,
    completion_reason: "no_more_actions",
    stop_reason: "end_turn",
    iterations: 1,
    final_response: "",
    usage: { input_tokens: 1200, output_tokens: 34 },
    cost: 30_000,
    duration_ms: 3_210,
    ...more,
  },
});

export interface Staged {
  store: SessionStore;
  /** What is shown with these facts. */
  tell(rows: Row[]): void;
}

export function stage(view: ReactNode, rows: Row[] = []): Staged & ReturnType<typeof render> {
  const studio = new Studio("http://127.0.0.1:1");
  const store = new SessionStore(studio.client, "tab", "ses_1", "");
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const tell = (told: Row[]) => {
    const builder = new Builder();
    builder.take(told);
    for (const [id, input] of askedIn(told)) queries.setQueryData(["asks", id], { input });
    store.view.set(builder.snapshot());
  };
  store.state.set("ready");
  tell(rows);
  const shown = render(
    <QueryClientProvider client={queries}>
      <StudioContext value={studio}>
        <SessionContext value={store}>
          <Tips>{view}</Tips>
        </SessionContext>
      </StudioContext>
    </QueryClientProvider>,
  );
  return { ...shown, store, tell };
}

/** The asks of a log, and the arguments of the calls that they are about. */
function askedIn(rows: Row[]): [id: string, input: object][] {
  type Told = { type: string; data: { approval_id?: string; tool_id?: string; content?: Called[] } };
  type Called = { id?: string; input?: object };
  const told = rows.map(([, event]) => event as unknown as Told);
  const calls = told.flatMap(({ type, data }) => (type === "assistant_message" ? (data.content ?? []) : []));
  return told
    .filter(({ type }) => type === "approval_required")
    .map(({ data }) => [data.approval_id!, calls.find(({ id }) => id === data.tool_id)?.input ?? {}]);
}
