/** What waits is told in a line, and nothing in it deceives. */
import { expect, it } from "vitest";
import { asked, type Waiting } from "./asks.js";

const waiting = (said: Partial<Waiting>) =>
  asked({ kind: "tool", question: "", tool_name: "", input: {}, detail: {}, ...said } as Waiting);

it("names what is hidden in a command, an address, an argument and a question", () => {
  expect(waiting({ detail: { command: "true\n\n\nrm \u202ecba" } })).toBe("Run true rm ‹U+202E›cba");
  expect(waiting({ tool_name: "fetch", detail: { url: "https://a\u200b.example" } })).toContain(
    "a‹U+200B›.example",
  );
  expect(waiting({ tool_name: "note\u202e", input: { text: "a\u2066b" } })).not.toMatch(/[\u202e\u2066]/);
  expect(waiting({ kind: "user", question: "Go\u202e on?" })).toBe("Go‹U+202E› on?");
});
