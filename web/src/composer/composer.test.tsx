/** The composer, by what a person sees and does. */
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { setEnter } from "../studio/enter.js";
import { fresh } from "../test/browser.js";
import { desk, happen, json, saying, words } from "../test/desk.js";

beforeEach(() => {
  fresh();
  setEnter("sends");
});
const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });

test("a prompt is trimmed and sent by Enter, and the box is empty", async () => {
  const { user, said } = desk();
  await user.type(box(), "  greet me  {Enter}");
  expect(said("/prompts")).toMatchObject([{ content: "greet me" }]);
  expect(box().value).toBe("");
});

test("an empty prompt is not sent", async () => {
  const { user, said } = desk();
  await user.type(box(), "  {Shift>}{Enter}{/Shift} {Enter}");
  expect(said("/prompts")).toEqual([]);
  expect(screen.getByRole("button", { name: "Send" })).toHaveProperty("disabled", true);
});

test("Shift and Enter begin a new line", async () => {
  const { user, said } = desk();
  await user.type(box(), "one{Shift>}{Enter}{/Shift}two{Enter}");
  expect(said("/prompts")).toMatchObject([{ content: "one\ntwo" }]);
});

test("Enter while a word is composed sends nothing", async () => {
  const { user, said } = desk();
  await user.type(box(), "にほん");
  fireEvent.keyDown(box(), { key: "Enter", isComposing: true });
  fireEvent.keyDown(box(), { key: "Enter", keyCode: 229 });
  expect(said("/prompts")).toEqual([]);
});

test("what the server does not take is kept, said, and sent again with the same id", async () => {
  let down = true;
  const { user, said, store } = desk(({ path }) => {
    if (!path.endsWith("/prompts")) return undefined;
    return down
      ? json({ code: "overloaded", detail: "Too many wait.", hint: "" }, 503)
      : json({ repeated: false });
  });
  await user.type(box(), "keep this{Enter}");
  await screen.findByText(/Too many wait/);
  expect(screen.getByText("keep this")).toBeTruthy();
  expect(JSON.parse(localStorage.getItem("bottega.me.unsent.ses_1") ?? "[]")).toHaveLength(1);
  down = false;
  await user.click(screen.getByRole("button", { name: "Send again" }));
  await waitFor(() => expect(localStorage.getItem("bottega.me.unsent.ses_1")).toBeNull());
  const [first, second] = said("/prompts");
  expect(second).toEqual(first);
  act(() => happen(store, ["prompt_queued", String(first?.message_id), words("keep this")]));
  expect(store.sending.value).toEqual([]);
});

test("what the server refuses can be put back into the box", async () => {
  const { user } = desk(({ path }) =>
    path.endsWith("/prompts") ? json({ code: "bad", detail: "No.", hint: "" }, 422) : undefined,
  );
  await user.type(box(), "say it{Enter}");
  await user.click(await screen.findByRole("button", { name: "Edit" }));
  expect(box().value).toBe("say it");
  expect(screen.queryByText(/Not sent/)).toBeNull();
});

test("what the server refuses can be discarded, and is not kept", async () => {
  const { user, store } = desk(({ path }) =>
    path.endsWith("/prompts") ? json({ code: "bad", detail: "No.", hint: "" }, 422) : undefined,
  );
  await user.type(box(), "say it{Enter}");
  await user.click(await screen.findByRole("button", { name: "Discard" }));
  expect(store.sending.value).toEqual([]);
  expect(box().value).toBe("");
  expect(localStorage.getItem("bottega.me.unsent.ses_1")).toBeNull();
});

test("what came with a prompt that the server refused goes back into the box with it", async () => {
  const { user, said, store } = desk(({ path }) =>
    path.endsWith("/prompts") ? json({ code: "bad", detail: "No.", hint: "" }, 422) : undefined,
  );
  const image = { type: "image" as const, media_type: "image/png", data: "AAAA", name: "a.png" };
  await act(() => store.prompt([{ type: "text", text: "look" }, image, image]).catch(() => {}));
  await user.click(await screen.findByRole("button", { name: "Edit" }));
  await user.click(screen.getAllByRole("button", { name: "Remove a.png" })[0] as HTMLElement);
  await user.type(box(), " again{Enter}");
  expect(said("/prompts").at(-1)).toMatchObject({ content: [{ type: "text", text: "look again" }, image] });
});

test("a server that cannot begin a session leaves what was written", async () => {
  const { user, studio } = desk(undefined, { session: false });
  studio.client.newTab = () => Promise.reject(new Error("no project"));
  await user.type(box(), "begin{Enter}");
  await screen.findByText(/could not be begun/);
  expect(box().value).toBe("begin");
});

test("while it runs Enter queues, Mod and Enter steer, and Stop is there", async () => {
  const { user, said, store } = desk();
  act(() => happen(store, ["prompt_queued", "m1", words("go")], ["user_message", "m1", words("go")]));
  await user.type(box(), "next{Enter}");
  await user.type(box(), "turn left{Control>}{Enter}{/Control}");
  expect(said("/prompts")).toMatchObject([{ content: "next" }, { content: "turn left", steer: true }]);
  expect(said("/prompts")[0]).not.toHaveProperty("steer");
  expect(screen.getByRole("button", { name: /^Stop/ })).toBeTruthy();
});

test("where Enter begins a new line Ctrl and Enter send, and with Shift they steer", async () => {
  setEnter("breaks");
  const { user, said, store } = desk();
  await user.type(box(), "one{Enter}two{Control>}{Enter}{/Control}");
  expect(said("/prompts")).toMatchObject([{ content: "one\ntwo" }]);
  act(() => happen(store, ["prompt_queued", "m1", words("go")], ["user_message", "m1", words("go")]));
  await user.type(box(), "left{Control>}{Shift>}{Enter}{/Shift}{/Control}");
  expect(said("/prompts")[1]).toMatchObject({ content: "left", steer: true });
  expect(JSON.parse(localStorage.getItem("bottega.me.enter") ?? "")).toBe("breaks");
});

test("what is written comes back after a reload, each session's its own", async () => {
  const first = desk();
  await first.user.type(box(), "half a th");
  first.unmount();
  desk();
  expect(box().value).toBe("half a th");
});

test("what was sent is no draft any more, at once", async () => {
  const { user } = desk();
  await user.type(box(), "on its way");
  fireEvent(window, new Event("pagehide"));
  expect(localStorage.getItem("bottega.me.drafts")).toContain("ses_1");
  await user.keyboard("{Enter}");
  await waitFor(() => expect(box().value).toBe(""));
  expect(localStorage.getItem("bottega.me.drafts")).toBe("[]");
});

test("the arrows bring back what was said, and lead back to what was being written", async () => {
  const { user, store } = desk();
  act(() => happen(store, ["prompt_queued", "m1", words("older")], ["user_message", "m1", words("older")]));
  act(() => happen(store, ["prompt_queued", "m2", words("newer")], ["user_message", "m2", words("newer")]));
  await user.type(box(), "mine{ArrowUp}");
  await waitFor(() => expect(box().value).toBe("newer"));
  await user.keyboard("{ArrowUp}");
  await waitFor(() => expect(box().value).toBe("older"));
  await user.keyboard("{ArrowDown}");
  await waitFor(() => expect(box().value).toBe("newer"));
  await user.keyboard("{ArrowDown}");
  await waitFor(() => expect(box().value).toBe("mine"));
});

test("a long paste becomes a piece that can be opened, and is sent with the prompt", async () => {
  const { user, said } = desk();
  await user.type(box(), "what is this?");
  await user.paste("line\n".repeat(2_000));
  expect(box().value).toBe("what is this?");
  expect(screen.getByRole("button", { name: "Open Pasted text, 2,001 lines" })).toBeTruthy();
  await user.type(box(), "{Enter}");
  expect(said("/prompts")[0]?.content).toMatch(/^what is this\?\n\nline\nline/);
  expect(screen.queryByRole("list", { name: "Attached" })).toBeNull();
});

test("a paste of 5 MB is offered to be saved in the project, and mentioned", async () => {
  const { user, asked, studio } = desk(undefined, { session: false });
  const prompt = box();
  await user.click(prompt);
  await user.paste("x".repeat(5_000_000));
  expect(prompt.value).toBe("");
  const dialog = await screen.findByRole("dialog", { name: "This is too large to send" });
  const path = within(dialog).getByRole("textbox", { name: "Path in the project" });
  await user.clear(path);
  await user.type(path, "big.txt{Enter}");
  await waitFor(() => expect(prompt.value).toBe("@big.txt "));
  expect(asked.some((each) => each.path === "/api/projects/p1/upload")).toBe(true);
  expect(studio.tabs.value.list).toEqual([]);
});

const dropped = (...files: File[]) => fireEvent.drop(box(), { dataTransfer: { types: ["Files"], files } });

test("of two files with one name that are saved in the project, each is saved", async () => {
  const { user, asked } = desk(undefined, { session: false });
  const zeros = () => new File([new Uint8Array(4)], "a.bin");
  dropped(zeros(), zeros());
  for (const left of [1, 0]) {
    await user.click(await screen.findByRole("button", { name: "Save and mention it" }));
    await waitFor(() => expect(asked.filter(({ path }) => path.endsWith("/upload"))).toHaveLength(2 - left));
  }
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("a folder that is dropped is said to be unreadable, and the files after it are taken", async () => {
  desk();
  saying();
  // A folder is a file without a type, which cannot be read.
  const folder = new File([], "src");
  folder.slice = () => ({ arrayBuffer: () => Promise.reject(new DOMException("gone")) }) as unknown as Blob;
  dropped(folder, new File(["hello"], "a.txt", { type: "text/plain" }));
  expect(await screen.findByText("src could not be read.")).toBeTruthy();
  expect(await screen.findByRole("button", { name: "Open a.txt, 1 line" })).toBeTruthy();
});

test("words that another part proposes are put in, or sent as they are", async () => {
  const { studio, said } = desk();
  act(() => studio.proposed.set({ text: "explain this", send: false }));
  await waitFor(() => expect(box().value).toBe("explain this"));
  act(() => studio.proposed.set({ text: "and that", send: true }));
  await waitFor(() => expect(said("/prompts")).toMatchObject([{ content: "and that" }]));
  expect(box().value).toBe("explain this");
  expect(studio.proposed.value).toBeNull();
});
