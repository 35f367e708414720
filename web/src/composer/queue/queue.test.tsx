/** What waits, by what a person sees and does. */
import { act, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { fresh } from "../../test/browser.js";
import { type Asked, desk, happen, json, saying, words } from "../../test/desk.js";

beforeEach(fresh);
const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });

/** A session with one exchange that runs and two prompts that wait; the server keeps their order. */
function waiting(refuse?: (asked: Asked) => Response | undefined) {
  let order = ["m2", "m3"];
  const listed = () =>
    json({ prompts: ["m1", ...order].map((message_id) => ({ message_id, status: "queued" })) });
  const made = desk((asked) => {
    const refused = refuse?.(asked);
    if (refused) return refused;
    const id = /prompts\/(\w+)$/.exec(asked.path)?.[1];
    if (asked.method === "DELETE") return json({ stopped: true });
    if (asked.method === "PATCH" && id) {
      const { place } = asked.body;
      if (typeof place === "number") order = order.filter((each) => each !== id).toSpliced(place, 0, id);
      return listed();
    }
    return asked.method === "GET" && asked.path.endsWith("/prompts") ? listed() : undefined;
  });
  act(() =>
    happen(
      made.store,
      ["prompt_queued", "m1", words("runs")],
      ["user_message", "m1", words("runs")],
      ["prompt_queued", "m2", words("second")],
      ["prompt_queued", "m3", words("third")],
    ),
  );
  const list = screen.getByRole("region", { name: "Prompts that wait" });
  const rows = () =>
    within(list)
      .getAllByRole("listitem")
      .map((row) => row.textContent);
  const row = (text: string) => within(within(list).getByText(text).closest("li") as HTMLElement);
  return { ...made, list, rows, row };
}

test("what waits is moved by its buttons and by Alt and an arrow, and keeps the focus", async () => {
  const { user, rows, row, said } = waiting();
  expect(rows()).toEqual(["second", "third"]);
  await user.click(row("third").getByRole("button", { name: "Run earlier" }));
  expect(said("/prompts/m3", "PATCH")).toEqual([{ place: 0 }]);
  expect(rows()).toEqual(["third", "second"]);
  await waitFor(() => expect(rows()).toEqual(["third", "second"]));
  expect(document.activeElement?.closest("li")?.textContent).toBe("third");
  await user.keyboard("{Alt>}{ArrowDown}{/Alt}");
  await waitFor(() => expect(rows()).toEqual(["second", "third"]));
});

test("what waits is said otherwise, and Escape leaves it as it was", async () => {
  const { user, row, said } = waiting();
  await user.click(row("second").getByRole("button", { name: "Edit" }));
  await user.type(screen.getByRole("textbox", { name: "Edit the prompt" }), " more{Escape}");
  expect(row("second")).toBeTruthy();
  await user.click(row("second").getByRole("button", { name: "Edit" }));
  await user.type(screen.getByRole("textbox", { name: "Edit the prompt" }), " and more{Enter}");
  expect(said("/prompts/m2", "PATCH")).toEqual([{ content: "second and more" }]);
  await waitFor(() => expect(screen.queryByRole("textbox", { name: "Edit the prompt" })).toBeNull());
});

test("what came with a prompt stays while its words are changed, or is taken off", async () => {
  const { user, list, said, store } = waiting(({ path }) =>
    path.endsWith("/blobs/b10b") ? new Response(new Uint8Array([1, 2, 3])) : undefined,
  );
  const large = { type: "image", media_type: "image/png", blob: "b10b", name: "large.png" };
  const small = { type: "image", media_type: "image/png", data: "AAAA", name: "small.png" };
  const content = [{ type: "text", text: "see" }, large, small];
  act(() => happen(store, ["prompt_edited", "m2", { content }]));
  await user.click(within(list).getAllByRole("button", { name: "Edit" })[0] as HTMLElement);
  const attached = within(list).getByRole("list", { name: "Attached" });
  await user.click(within(attached).getByRole("button", { name: "Remove small.png" }));
  await user.type(screen.getByRole("textbox", { name: "Edit the prompt" }), " this{Enter}");
  const kept = { type: "image", media_type: "image/png", data: "AQID", name: "large.png" };
  await waitFor(() =>
    expect(said("/prompts/m2", "PATCH")).toEqual([{ content: [{ type: "text", text: "see this" }, kept] }]),
  );
});

test("a change that comes too late is put into the box", async () => {
  const { user, row, store } = waiting();
  await user.click(row("second").getByRole("button", { name: "Edit" }));
  await user.type(screen.getByRole("textbox", { name: "Edit the prompt" }), ", but gently");
  act(() => happen(store, ["exchange_response", "m1", {}], ["user_message", "m2", words("second")]));
  await waitFor(() => expect(box().value).toBe("second, but gently"));
});

test("what waits is taken back, and may be sent again", async () => {
  const { user, row, asked, said } = waiting();
  saying();
  await user.click(row("third").getByRole("button", { name: "Remove" }));
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  expect(asked.some(({ method, path }) => method === "DELETE" && path.endsWith("/m3"))).toBe(true);
  expect(said("/prompts")).toMatchObject([{ content: "third" }]);
});

test("what waits is said into what runs: first taken back, then sent once", async () => {
  const { user, row, asked, said } = waiting();
  await user.click(row("second").getByRole("button", { name: "Say it into what runs, now" }));
  await waitFor(() => expect(said("/prompts")).toMatchObject([{ content: "second", steer: true }]));
  const order = asked.filter(({ method }) => method === "DELETE" || method === "POST");
  expect(order.map(({ method }) => method)).toEqual(["DELETE", "POST"]);
});

test("a steer of one that began meanwhile is not said twice", async () => {
  const told: Promise<unknown>[] = [];
  const { user, row, said } = waiting(({ method }) => {
    if (method !== "DELETE") return undefined;
    const answer = json({ stopped: false });
    told.push(answer.clone().text());
    return answer;
  });
  await user.click(row("second").getByRole("button", { name: "Say it into what runs, now" }));
  await act(() => Promise.all(told));
  expect(told).toHaveLength(1);
  expect(said("/prompts")).toEqual([]);
});
