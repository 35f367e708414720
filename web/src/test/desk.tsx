/** A composer in a page of a test: a studio whose server is a function, with a session around it or none. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { Row } from "../api/client.js";
import { Composer } from "../composer/composer.js";
import { SessionStore } from "../session/store.js";
import { SessionContext, StudioContext } from "../studio/context.js";
import { Studio } from "../studio/studio.js";
import { Tips } from "../ui/tip.js";
import { Toasts } from "../ui/toasts.js";

export interface Asked {
  method: string;
  path: string;
  body: Record<string, unknown>;
}
/** What the server answers to a request; undefined: as usual. */
export type Answers = (asked: Asked) => Response | undefined;

export const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });

const USUAL: Record<string, unknown> = {
  "GET /api/agents": {
    agents: [
      { slug: "assistant", name: "Assistant", description: "Answers.", is_default: true },
      { slug: "planner", name: "Planner", description: "Plans.", mode: "plan" },
      { slug: "torn", name: "", problems: ["It has no prompt."] },
    ],
  },
  "GET /api/models": {
    default: { model: "openai/small", why: "" },
    providers: [
      {
        provider: "openai",
        problem: "",
        models: [
          { name: "openai/small", context_window: 128_000, input_price: 1, output_price: 4, abilities: [] },
          {
            name: "openai/large",
            context_window: null,
            input_price: null,
            output_price: null,
            abilities: [],
          },
        ],
      },
      { provider: "ollama", problem: "Nobody answers at 11434.", models: [] },
    ],
  },
  "GET /api/projects": { projects: [{ id: "p1", name: "shop", folder: "/shop", created_at: 1 }] },
};

export function desk(answers: Answers = () => undefined, options: { session?: boolean } = {}) {
  const asked: Asked[] = [];
  globalThis.fetch = async (address, init) => {
    const request = {
      method: init?.method ?? "GET",
      path: String(address).replace(/^http:\/\/here|\?.*$/g, ""),
      body: typeof init?.body === "string" ? JSON.parse(init.body) : {},
    };
    asked.push(request);
    const usual = USUAL[`${request.method} ${request.path}`] ?? {};
    return answers(request) ?? json(usual);
  };
  const studio = new Studio("http://here");
  const store = options.session === false ? null : new SessionStore(studio.client, "tab", "ses_1", "");
  if (store) studio.tabs.set({ list: [{ id: "tab", store }], active: "tab" });
  const page = render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <StudioContext value={studio}>
        <SessionContext value={store}>
          <Tips>
            <Composer />
          </Tips>
        </SessionContext>
      </StudioContext>
    </QueryClientProvider>,
  );
  const said = (path: string, method = "POST") =>
    asked.filter((each) => each.path.endsWith(path) && each.method === method).map(({ body }) => body);
  return { ...page, studio, store: store!, asked, said, user: userEvent.setup() };
}

/** What is said in passing stands on the page, too. */
export const saying = () =>
  render(
    <Tips>
      <Toasts />
    </Tips>,
  );

/** Facts of a session, as the socket brings them. */
export function happen(store: SessionStore, ...facts: [type: string, id: string, data?: object][]): void {
  const last = store.view.value.last;
  store.take(
    facts.map(
      ([type, message_id, data = {}], n) =>
        [last + n + 1, { type, at: 1_000 + n, message_id, data, actor: "user" }] as unknown as Row,
    ),
  );
  store.flush();
}

export const words = (text: string) => ({ content: [{ type: "text", text }] });
