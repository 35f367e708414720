/** The row of tabs: what its keys do, and what is said of it. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { SessionStore } from "../session/store.js";
import { pressed } from "../studio/commands.js";
import { StudioContext } from "../studio/context.js";
import { Studio } from "../studio/studio.js";
import { happen, words } from "../test/desk.js";
import { Tips } from "../ui/tip.js";
import { Toasts } from "../ui/toasts.js";
import { TabBar } from "./tab-bar.js";

function shown() {
  const studio = new Studio("http://here");
  studio.client.closeTab = async () => {};
  const list = ["Build", "Mend"].map((title) => {
    const store = new SessionStore(studio.client, `tab-${title}`, `ses-${title}`, title);
    return { id: store.tabId, store };
  });
  studio.tabs.set({ list, active: "tab-Build" });
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <StudioContext value={studio}>
        <Tips>
          <TabBar />
          <Toasts />
        </Tips>
      </StudioContext>
    </QueryClientProvider>,
  );
  return { studio, list };
}
const press = (key: string, code: string) =>
  act(() => void pressed(new KeyboardEvent("keydown", { key, code, altKey: true, cancelable: true })));

test("a tab that is closed by a key is named by its title, and by nothing else", async () => {
  const { list } = shown();
  act(() => happen(list[0]!.store, ["user_message", "m1", words("go")]));
  expect(screen.getByRole("tab", { name: /^Working ?Build$/ })).toBeTruthy();
  press("w", "KeyW");
  expect(await screen.findByText("Closed “Build”. It goes on working.")).toBeTruthy();
  expect(screen.queryByRole("tab", { name: /Build/ })).toBeNull();
});

test("a digit shows the tab at its place, and nine the last one", () => {
  const { studio } = shown();
  press("2", "Digit2");
  expect(studio.tabs.value.active).toBe("tab-Mend");
  press("1", "Digit1");
  expect(studio.tabs.value.active).toBe("tab-Build");
  press("9", "Digit9");
  expect(studio.tabs.value.active).toBe("tab-Mend");
});
