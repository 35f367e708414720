/** What is chosen for a prompt: mode, agent, model, effort, project. */
import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { setEnter } from "../studio/enter.js";
import { fresh } from "../test/browser.js";
import { desk, json } from "../test/desk.js";

beforeEach(() => {
  fresh();
  setEnter("sends");
});
const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });

test("Shift and Tab go from ask to allow, and the word says so", async () => {
  const { user, said } = desk(({ method, path }) =>
    method === "PATCH" && path.endsWith("ses_1") ? json({ id: "ses_1", mode: "allow" }) : undefined,
  );
  await user.type(box(), "{Shift>}{Tab}{/Shift}");
  expect(said("/sessions/ses_1", "PATCH")).toEqual([{ mode: "allow" }]);
  expect(await screen.findByRole("button", { name: "Mode: Allow" })).toBeTruthy();
  expect(document.activeElement).toBe(box());
});

test("an agent that does less than the mode says so", async () => {
  const { user, studio } = desk(undefined, { session: false });
  await user.click(await screen.findByRole("button", { name: "Agent: Assistant" }));
  const torn = screen.getByRole("option", { name: /torn/ });
  expect(torn.getAttribute("aria-disabled")).toBe("true");
  await user.type(screen.getByRole("combobox", { name: "Find an agent" }), "plan{Enter}");
  expect(studio.wish.value.agent).toBe("planner");
  expect(screen.getByRole("button", { name: "Mode: Plan" })).toBeTruthy();
});

test("models are found by a few letters, with window and price, and providers that fail say why", async () => {
  const { user, studio } = desk(undefined, { session: false });
  await user.click(await screen.findByRole("button", { name: "Model: small" }));
  expect(screen.getByRole("option", { name: /128K context · \$1 in, \$4 out/ })).toBeTruthy();
  expect(screen.getByText("Nobody answers at 11434.")).toBeTruthy();
  await user.type(screen.getByRole("combobox", { name: "Find a model" }), "lar{Enter}");
  expect(studio.wish.value.model).toBe("openai/large");
  await waitFor(() => expect(document.activeElement).toBe(box()));
});

test("a project that was picked and is gone gives way to the first one", async () => {
  const { user, studio } = desk(undefined, { session: false });
  const begins = vi.spyOn(studio, "newSession").mockRejectedValue(new Error("No."));
  act(() => studio.wish.set({ project_id: "gone", container: "deep" }));
  expect(await screen.findByRole("button", { name: /: shop$/ })).toBeTruthy();
  await user.type(box(), "go{Enter}");
  expect(begins).toHaveBeenCalledWith({ project_id: "p1", container: "" });
});

test("how hard the model thinks is chosen with the model, shown, and sent with each prompt", async () => {
  const { user, said } = desk();
  await user.click(await screen.findByRole("button", { name: "Model: small" }));
  await user.selectOptions(screen.getByRole("combobox", { name: "Effort" }), "High");
  await user.keyboard("{Escape}");
  expect(screen.getByRole("button", { name: "Model: small · High" })).toBeTruthy();
  await user.type(box(), "think{Enter}");
  expect(said("/prompts")).toMatchObject([{ content: "think", wishes: { effort: "high" } }]);
});

test("without a model the guide is named, with the way to the keys", async () => {
  desk(({ path }) =>
    path === "/api/models" ? json({ default: { model: "guide", why: "" }, providers: [] }) : undefined,
  );
  expect(await screen.findByText(/rule-based guide answers/)).toBeTruthy();
  expect(screen.getByRole("link", { name: "Add a key" }).getAttribute("href")).toBe("/settings/keys");
});

test("a session for which no mode was chosen shows the one that the settings give", async () => {
  desk(({ path }) => (path === "/api/agents" ? json({ agents: [], mode: "allow" }) : undefined));
  expect(await screen.findByRole("button", { name: /Mode: Allow/ })).toBeTruthy();
});
