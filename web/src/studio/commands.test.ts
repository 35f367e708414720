/** Keys find their command by what is written on them, and by where they lie. */
import { afterEach, expect, test } from "vitest";
import { type Command, commands, pressed } from "./commands.js";

const ran: string[] = [];
const command = (keys: string, more: Partial<Command> = {}): Command => ({
  id: keys,
  title: keys,
  group: "other",
  keys,
  run: () => ran.push(keys),
  ...more,
});
const press = (key: string, more: KeyboardEventInit = {}) =>
  pressed(new KeyboardEvent("keydown", { key, cancelable: true, ...more }));

afterEach(() => {
  commands.set([]);
  ran.length = 0;
});

test("a capital letter in a combination needs no Shift", () => {
  commands.set([command("Mod+K"), command("Alt+N")]);
  expect(press("k", { ctrlKey: true, code: "KeyK" })).toBe(true);
  expect(press("˜", { altKey: true, code: "KeyN" })).toBe(true);
  expect(press("K", { ctrlKey: true, shiftKey: true, code: "KeyK" })).toBe(false);
  expect(ran).toEqual(["Mod+K", "Alt+N"]);
});

test("brackets are found where they lie, whatever Shift makes of them", () => {
  commands.set([command("Mod+Shift+]")]);
  expect(press("}", { ctrlKey: true, shiftKey: true, code: "BracketRight" })).toBe(true);
  expect(press("]", { ctrlKey: true, code: "BracketRight" })).toBe(false);
});

test("while somebody types, only combinations are commands", () => {
  commands.set([command("?"), command("Alt+1")]);
  const field = document.body.appendChild(document.createElement("input"));
  const typed = (key: string, more: KeyboardEventInit = {}) => {
    const event = new KeyboardEvent("keydown", { key, cancelable: true, bubbles: true, ...more });
    let done = false;
    field.addEventListener("keydown", (each) => (done = pressed(each)), { once: true });
    field.dispatchEvent(event);
    return done;
  };
  expect(typed("?", { shiftKey: true })).toBe(false);
  expect(typed("1", { altKey: true, code: "Digit1" })).toBe(true);
  expect(press("?", { shiftKey: true })).toBe(true);
});
