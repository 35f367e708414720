/** A key says where it is sent, so that one that goes elsewhere is seen. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { StudioContext } from "../../studio/context.js";
import { Studio } from "../../studio/studio.js";
import { KeyRow } from "./key-row.js";

const KEPT = {
  name: "openai",
  variable: "",
  masked: "sk-…1234",
  at: 1,
  destination: "https://api.openai.com",
};

test("a kept key is told with the only address that it is sent to", () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <StudioContext value={new Studio("http://here")}>
        <KeyRow of={KEPT} />
      </StudioContext>
    </QueryClientProvider>,
  );
  expect(screen.getByText(/sent to https:\/\/api\.openai\.com only/)).toBeTruthy();
});
