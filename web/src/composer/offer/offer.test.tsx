/** Files and commands that are offered, by what a person types. */
import { screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { fresh } from "../../test/browser.js";
import { desk, json, saying } from "../../test/desk.js";
import { nearest, parse } from "./slash.js";
import { mention, replaced, tokenAt } from "./trigger.js";

beforeEach(fresh);
const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Prompt" });

const files = (paths: string[]) =>
  desk(
    ({ path }) =>
      path.endsWith("/find")
        ? json({
            whole: true,
            found: paths.map((name) => ({
              path: name.replace(/\/$/, ""),
              kind: name.endsWith("/") ? "folder" : "file",
            })),
          })
        : undefined,
    { session: false },
  );

test.each([
  ["see @no", 7, "no", 4],
  ["@", 1, "", 0],
  ["(@src/ma", 8, "src/ma", 1],
  ['see @"my no', 11, "my no", 4],
])("in %j a file is being named", (text, caret, query, start) => {
  expect(tokenAt(text, caret)).toMatchObject({ kind: "file", query, start });
});

test.each(["me@home.org", "see @no then", "a /mo", "/etc/ho", ""])("in %j nothing is", (text) => {
  expect(tokenAt(text, text.length)).toBeNull();
});

test("a choice replaces the whole word, and a path with spaces stands in quotes", () => {
  const token = tokenAt("see @notes now", 7);
  expect(token && replaced("see @notes now", token, mention("my notes.txt"))).toEqual({
    text: 'see @"my notes.txt" now',
    caret: 19,
  });
});

test("a path at the beginning is a prompt, a word that is no command is said to be none", () => {
  expect(parse("/etc/hosts, what is it?")).toBeNull();
  expect(parse("/MODE  plan ")).toEqual({ name: "mode", argument: "plan", typed: "mode" });
  expect(parse("/compct")).toMatchObject({ name: "", typed: "compct" });
  expect(nearest("compct")).toBe("compact");
  expect(nearest("zzzzzz")).toBe("");
});

test("a file is chosen with the arrows, and named to screen readers as it goes", async () => {
  const { user, said } = files(["src/parser.py", "src/printer.py"]);
  await user.type(box(), "read @p");
  await screen.findByRole("option", { name: /printer/ });
  await user.keyboard("{ArrowDown}");
  const active = box().getAttribute("aria-activedescendant") ?? "";
  expect(document.getElementById(active)?.textContent).toContain("printer.py");
  await user.keyboard("{Enter}");
  expect(box().value).toBe("read @src/printer.py ");
  expect(screen.queryByRole("listbox")).toBeNull();
  expect(said("/prompts")).toEqual([]);
});

test("a folder that is chosen leads on into it", async () => {
  const { user } = files(["src/"]);
  await user.type(box(), "@s");
  await user.click(await screen.findByRole("option", { name: "src/" }));
  expect(box().value).toBe("@src/");
  expect(screen.getByRole("listbox", { name: "Files" })).toBeTruthy();
});

test("Escape closes the list, and typing on leaves it closed", async () => {
  const { user } = files(["notes.txt"]);
  await user.type(box(), "@n");
  await screen.findByRole("listbox", { name: "Files" });
  await user.keyboard("{Escape}o");
  expect(screen.queryByRole("listbox")).toBeNull();
  await user.keyboard(" @n");
  expect(await screen.findByRole("listbox", { name: "Files" })).toBeTruthy();
});

test("commands are found by their first letters and done by Enter", async () => {
  const { user, said } = desk(({ path }) => (path.endsWith("/reset") ? json({ changed: true }) : undefined));
  await user.type(box(), "/res");
  expect(screen.getAllByRole("option")).toHaveLength(1);
  await user.keyboard("{Enter}");
  await waitFor(() => expect(said("/reset")).toHaveLength(1));
  expect(box().value).toBe("");
  expect(said("/prompts")).toEqual([]);
});

test("a command with words is completed by Tab and done by Enter", async () => {
  const { user, said } = desk(({ method }) => (method === "PATCH" ? json({ id: "ses_1" }) : undefined));
  await user.type(box(), "/ren{Tab}");
  expect(box().value).toBe("/rename ");
  await user.keyboard("The shop{Enter}");
  await waitFor(() => expect(said("/sessions/ses_1", "PATCH")).toEqual([{ title: "The shop" }]));
  expect(box().value).toBe("");
});

test("a command that is none stays in the box and is not sent", async () => {
  const { user, said } = desk();
  await user.type(box(), "/compct{Enter}");
  await waitFor(() => expect(box().value).toBe("/compct"));
  expect(said("/prompts")).toEqual([]);
});

test("a mode that the server would not take is not said to hold, and stays in the box", async () => {
  const refused = json({ code: "bad", detail: "No.", hint: "" }, 422);
  const { user } = desk(({ method }) => (method === "PATCH" ? refused : undefined));
  saying();
  await user.type(box(), "/mode plan{Enter}");
  await waitFor(() => expect(box().value).toBe("/mode plan"));
  expect(screen.queryByText(/Reads and thinks/)).toBeNull();
});

test("clearing asks first", async () => {
  const { user, said } = desk();
  await user.type(box(), "/clear{Enter}");
  await screen.findByRole("dialog", { name: "Delete all that was said here?" });
  expect(said("/clear")).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(said("/clear")).toHaveLength(1));
});

test("without a session only commands that need none are offered", async () => {
  const { user } = desk(undefined, { session: false });
  await user.type(box(), "/");
  const names = screen.getAllByRole("option").map((option) => /\/\w+/.exec(option.textContent ?? "")?.[0]);
  expect(names).toEqual(["/help", "/model", "/agent", "/mode", "/plan", "/new"]);
});
