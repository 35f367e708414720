/** What is sought is found by beginnings first, and never by letters that happen to be there. */
import { expect, test } from "vitest";
import { fits } from "./fits.js";

test("a word at the beginning fits better than one inside, and that better than letters in order", () => {
  const scores = ["Deploy notes", "The deploy", "Redeploy", "d-e-p"].map((title) => fits("dep", [title]));
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  expect(new Set(scores).size).toBe(4);
  expect(scores[3]).toBeGreaterThan(0);
});

test("letters that lie far apart are no match", () => {
  expect(fits("dep", ["Explain how the parser reads a nested list"])).toBe(0);
  expect(fits("xyz", ["Deploy notes"])).toBe(0);
  // Found once, far apart, and not again from the next beginning.
  expect(fits("engine", ["Settings", "Signed-in browsers"])).toBe(0);
});

test("every word counts, in any order", () => {
  expect(fits("notes dep", ["Deploy notes"])).toBeGreaterThan(0);
  expect(fits("notes other", ["Deploy notes"])).toBe(0);
  expect(fits("", ["anything"])).toBe(1);
});
