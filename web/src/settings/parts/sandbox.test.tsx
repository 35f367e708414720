/** The page of the sandbox says what it can where there is nothing to look at. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { StudioContext } from "../../studio/context.js";
import { Studio } from "../../studio/studio.js";
import { Sandbox } from "./sandbox.js";

test("without a project nothing is waited for", async () => {
  globalThis.fetch = async (input) =>
    new Response(
      JSON.stringify(new Request(input).url.includes("projects") ? { projects: [] } : { settings: [] }),
    );
  render(
    <QueryClientProvider client={new QueryClient()}>
      <StudioContext value={new Studio("http://here")}>
        <Sandbox />
      </StudioContext>
    </QueryClientProvider>,
  );
  expect(await screen.findByText("There is no project yet, so no command could run.")).toBeTruthy();
});
