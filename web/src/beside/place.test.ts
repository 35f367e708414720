/** Paths as tools name them, seen from the project. */
import { expect, test } from "vitest";
import { within } from "./place.js";
import { keyed } from "./terminal/keys.js";
import { mixed } from "./terminal/theme.js";

const place = { projectId: "p", name: "shop", folder: "/home/me/shop", container: "api" };

test("a path from the session's folder, or from the root of the machine, is one in the project", () => {
  expect(within(place, "src/main.py")).toBe("api/src/main.py");
  expect(within(place, "./src//main.py")).toBe("api/src/main.py");
  expect(within(place, "../web/page.ts")).toBe("web/page.ts");
  expect(within(place, "/home/me/shop/api/a.py")).toBe("api/a.py");
});

test("what leads out of the project is no path in it", () => {
  expect(within(place, "../../other")).toBeNull();
  expect(within(place, "/home/me/shop-of-others/a.py")).toBeNull();
  expect(within(place, "/etc/passwd")).toBeNull();
});

test("a terminal takes every key but those that copy, paste, leave, or go to another view", () => {
  let left = 0;
  const terminal = { getSelection: () => "", clearSelection() {} };
  const takes = keyed(terminal, () => left++);
  const key = (code: string, more: KeyboardEventInit = {}) =>
    takes(new KeyboardEvent("keydown", { code, ...more }));
  expect(key("Escape")).toBe(true);
  expect(key("KeyC", { ctrlKey: true })).toBe(true);
  expect(key("Digit3", { altKey: true })).toBe(false);
  expect(key("KeyV", { ctrlKey: true, shiftKey: true })).toBe(false);
  expect(key("KeyX", { ctrlKey: true })).toBe(true);
  expect(left).toBe(0);
  expect(key("KeyX", { ctrlKey: true, shiftKey: true })).toBe(false);
  expect(left).toBe(1);
});

test("colours are mixed by their parts", () => {
  expect(mixed("#000000", "#ffffff")).toBe("#808080");
  expect(mixed("#ff0000", "#0000ff", 0.25)).toBe("#bf0040");
});
