/** Another version is told of, and only another version. */
import { act, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { StudioContext } from "../studio/context.js";
import { Studio } from "../studio/studio.js";
import { NewVersion } from "./new-version.js";

const shell = (script: string) =>
  `<div id="root"></div><script type="module" src="./assets/${script}"></script>`;
let served = "";
let read: Promise<string> | undefined;

beforeEach(() => {
  document.head.innerHTML = "";
  const script = document.createElement("script");
  script.type = "module";
  script.setAttribute("src", "./assets/index-one.js");
  document.head.append(script);
  globalThis.fetch = async () => {
    const page = new Response(served);
    const text = page.text.bind(page);
    page.text = () => {
      read = text();
      return read;
    };
    return page;
  };
});

async function shown(page: string) {
  served = page;
  const studio = new Studio("http://here");
  render(
    <StudioContext value={studio}>
      <NewVersion />
    </StudioContext>,
  );
  read = undefined;
  await act(async () => studio.connection.set("open"));
  // It is decided once the page was read.
  await waitFor(() => expect(read).toBeDefined());
  await act(async () => void (await read));
}

test("a server with another script says that there is a new version", async () => {
  await shown(shell("index-two.js"));
  expect(await screen.findByRole("button", { name: "Reload" })).toBeTruthy();
});

test("the same script, or the page for those who are signed out, is no new version", async () => {
  await shown(shell("index-one.js"));
  expect(screen.queryByRole("button")).toBeNull();
  await shown("<h1>Sign in</h1>");
  expect(screen.queryByRole("button")).toBeNull();
});
