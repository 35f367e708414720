/** A key goes to nobody before it is known, or said, whose it is. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { StudioContext } from "../../studio/context.js";
import { Studio } from "../../studio/studio.js";
import { AddKey } from "./add-key.js";

function shown(fits: string[]) {
  globalThis.fetch = async () => new Response(JSON.stringify({ fits, others: ["gemini"] }));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <StudioContext value={new Studio("http://here")}>
        <AddKey />
      </StudioContext>
    </QueryClientProvider>,
  );
}
const button = () => screen.getByRole<HTMLButtonElement>("button", { name: "Test and keep" });
const whose = () => screen.getByRole<HTMLSelectElement>("combobox", { name: "Provider" });

test("a key that fits one provider is theirs", async () => {
  shown(["anthropic"]);
  await userEvent.type(screen.getByLabelText("Key"), "sk-ant-x");
  expect(await screen.findByRole("option", { name: "anthropic", selected: true })).toBeTruthy();
  expect(button().disabled).toBe(false);
});

test("a key that could be of several waits until one is chosen", async () => {
  shown(["openai", "litellm"]);
  await userEvent.type(screen.getByLabelText("Key"), "sk-1");
  await screen.findByRole("option", { name: "litellm" });
  expect(whose().value).toBe("");
  expect(button().disabled).toBe(true);
  await userEvent.selectOptions(whose(), "litellm");
  expect(button().disabled).toBe(false);
});
