/** The page of a new session, by what a person finds on it. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import { StudioContext } from "../studio/context.js";
import { Studio } from "../studio/studio.js";
import { Tips } from "../ui/tip.js";
import { First } from "./first.js";

const OUTLOOK = {
  folder: "/home/eva/shop",
  files: 1234,
  whole: true,
  languages: [{ name: "Python", files: 9 }],
  manifests: [],
  about: "Sells things.",
  repository: { branch: "main", changed: 2, under_way: "", note: "" },
  sandbox: { kind: "bubblewrap", runs: true, network: true, trusted: true, problem: "" },
  mode: "ask",
  modes: [
    { mode: "plan", may: { read: "allow", write: "blocked", run: "blocked", network: "blocked" } },
    { mode: "ask", may: { read: "allow", write: "ask", run: "ask", network: "ask" } },
  ],
  rules: 0,
  prompts: [{ kind: "tests", title: "Run the tests", text: "Run `make test`.", about: "3 test files" }],
};
type Answers = Record<string, unknown>;
const ANSWERS: Answers = {
  "GET /api/me": { id: "p", name: "host", is_host: true, created_at: 0, seen_at: 0 },
  "GET /api/models/default": { model: "guide", why: "no key is configured" },
  "GET /api/models": { default: { model: "anthropic/claude", why: "there is a key" }, providers: [] },
  "GET /api/sessions": { sessions: [], next: "" },
  "GET /api/projects": {
    projects: [{ id: "prj_1", name: "shop", folder: "/home/eva/shop", created_at: 0 }],
  },
  "GET /api/projects/prj_1/outlook": OUTLOOK,
  "GET /api/discovery": { variables: [], servers: [] },
};

/** Answers by method and path; what was asked is told. */
function served(answers: Answers) {
  const asked: [string, unknown][] = [];
  vi.stubGlobal("fetch", async (address: string, init: RequestInit) => {
    const path = new URL(address, "http://here").pathname;
    const name = `${init.method} ${path}`;
    asked.push([name, init.body ? JSON.parse(String(init.body)) : undefined]);
    const answer = { ...ANSWERS, ...answers }[name];
    if (answer instanceof Error) throw answer;
    if (answer === undefined && name.startsWith("GET"))
      return new Response(JSON.stringify({ code: "not_found", detail: "Nothing." }), { status: 404 });
    return new Response(answer === undefined ? "" : JSON.stringify(answer));
  });
  return asked;
}

function shown(answers: Answers = {}) {
  const asked = served(answers);
  const studio = new Studio("");
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  render(
    <QueryClientProvider client={client}>
      <StudioContext value={studio}>
        <Tips>
          <First />
        </Tips>
      </StudioContext>
    </QueryClientProvider>,
  );
  return { studio, asked };
}

afterEach(() => vi.unstubAllGlobals());

test("on a fresh home the guide says what it is, and the demo and a key are at hand", async () => {
  const { studio } = shown();
  expect(await screen.findByText(/It is a set of rules, not a model/)).toBeTruthy();
  expect(screen.getByRole("button", { name: "See the demo" })).toBeTruthy();
  expect(screen.getByLabelText("Paste a key")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Ask the guide" }));
  expect(studio.proposed.value).toEqual({ text: "What can you do?", send: true });
});

test("where a model answers, the folder and its prompts are the page", async () => {
  const { studio } = shown({
    "GET /api/models/default": { model: "openai/gpt", why: "there is a key for openai" },
    "GET /api/sessions": { sessions: [{}], next: "" },
  });
  expect(await screen.findByText("1,234 files")).toBeTruthy();
  expect(screen.getByText("2 files changed")).toBeTruthy();
  expect(screen.queryByLabelText("Paste a key")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: /^Run the tests/ }));
  expect(studio.proposed.value).toEqual({ text: "Run `make test`.", send: false });
  fireEvent.click(screen.getByRole("button", { name: "Send at once: Run the tests" }));
  expect(studio.proposed.value).toEqual({ text: "Run `make test`.", send: true });
});

test("what the agent may do follows the mode that the session will have", async () => {
  const { studio } = shown();
  const writes = (await screen.findByText("writes files")).closest("li") as HTMLElement;
  expect(within(writes).getByText("asks first")).toBeTruthy();
  studio.wish.set({ mode: "plan" });
  await waitFor(() => expect(within(writes).getByText("never")).toBeTruthy());
});

test("a key says whose it is, is tested, then kept, and its model is told with its price", async () => {
  const { asked } = shown({
    "POST /api/keys/whose": { fits: ["anthropic"], others: ["openai"] },
    "POST /api/keys/anthropic/test": {
      takes: true,
      models: 7,
      suggested: {
        name: "anthropic/claude",
        input_price: 3,
        output_price: 15,
        context_window: null,
        abilities: [],
      },
    },
  });
  fireEvent.change(await screen.findByLabelText("Paste a key"), { target: { value: "sk-ant-x" } });
  fireEvent.click(await screen.findByRole("button", { name: "Test it with Anthropic" }));
  expect(await screen.findByText("Anthropic takes the key and offers 7 models.")).toBeTruthy();
  expect(screen.getByText(/New sessions use anthropic\/claude: \$3 read, \$15 written/)).toBeTruthy();
  const names = asked.map(([name]) => name);
  expect(names.indexOf("POST /api/keys/anthropic/test")).toBeLessThan(
    names.indexOf("PUT /api/keys/anthropic"),
  );
});

test("a key that is refused is not kept, and the reason is said", async () => {
  const { asked } = shown({
    "POST /api/keys/whose": { fits: ["openai"], others: [] },
    "POST /api/keys/openai/test": {
      takes: false,
      code: "bad_key",
      problem: "It says: invalid.",
      hint: "Copy it again.",
    },
  });
  fireEvent.change(await screen.findByLabelText("Paste a key"), { target: { value: "sk-proj-x" } });
  fireEvent.click(await screen.findByRole("button", { name: "Test it with OpenAI" }));
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("OpenAI does not take this key.");
  expect(alert.textContent).toContain("Copy it again.");
  expect(asked.map(([name]) => name)).not.toContain("PUT /api/keys/openai");
  expect(screen.queryByRole("button", { name: "Keep it untested" })).toBeNull();
});

test("a key that could be of several is sent to nobody before one is chosen", async () => {
  const { asked } = shown({
    "POST /api/keys/whose": { fits: ["openai", "litellm"], others: ["anthropic"] },
  });
  fireEvent.change(await screen.findByLabelText("Paste a key"), { target: { value: "sk-1234" } });
  expect(await screen.findByText("It could be a key of OpenAI or LiteLLM.")).toBeTruthy();
  const button = screen.getByRole("button", { name: "Test it" }) as HTMLButtonElement;
  expect(button.disabled).toBe(true);
  expect(asked.map(([name]) => name).filter((name) => name.endsWith("/test"))).toEqual([]);
});

test("a model server of this machine is used by one press", async () => {
  const { asked } = shown({
    "GET /api/discovery": {
      variables: [],
      servers: [
        {
          name: "ollama",
          title: "Ollama",
          address: "http://127.0.0.1:11434/v1",
          state: "answers",
          models: ["ollama/qwen"],
          use: "",
        },
        { name: "lmstudio", title: "LM Studio", address: "", state: "not there", models: [], use: "" },
      ],
    },
  });
  expect(await screen.findByText("LM Studio: not running on this machine.")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Use ollama/qwen" }));
  await waitFor(() => expect(asked).toContainEqual(["PATCH /api/settings", { model: "ollama/qwen" }]));
});

test("a folder that cannot be looked at says so, and can be tried again", async () => {
  shown({ "GET /api/projects/prj_1/outlook": undefined });
  expect((await screen.findByRole("alert")).textContent).toContain("This folder could not be looked at.");
  expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
});

test("how to open another folder is said, to be copied", async () => {
  shown();
  expect(await screen.findByText(/Open another folder/)).toBeTruthy();
  expect(screen.getByText("bottega projects add FOLDER").className).toContain("select-all");
});
