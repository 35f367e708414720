/** Code, painted and copied. */
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, describe, expect, it } from "vitest";
import { fresh } from "../test/browser.js";
import { Pieces } from "./code/pieces.js";
import { Code } from "./code.js";
import { highlightLines, painter } from "./highlight.js";

const words = (element: Element | null) => element?.textContent?.replace(/\s+/g, " ") ?? "";
const PYTHON = "def f(x):\n    return 'a'  # b\n";

// Loaded before, because a first import takes longer than a wait.
beforeAll(async () => {
  await painter("python");
});

describe("code", () => {
  it("is painted in its language once that is there", async () => {
    const { container } = render(<Code code={PYTHON} language="python" />);
    expect(words(container)).toContain("def f(x): return 'a' # b");
    await waitFor(() => expect(words(container.querySelector(".tok-keyword"))).toContain("def"));
    expect(words(container.querySelector(".tok-string"))).toContain("'a'");
    expect(words(container.querySelector(".tok-comment"))).toContain("# b");
  });

  it("is found by a name, an alias or a path, and plain otherwise", async () => {
    for (const language of [
      "python",
      "py",
      "ts",
      "TypeScript",
      "src/main.rs",
      "bash",
      "console",
      "yml",
      "Dockerfile",
    ]) {
      expect(await painter(language), language).not.toBeNull();
    }
    for (const language of ["", "nothing", "__proto__", "constructor", "../../x", "a".repeat(500)]) {
      expect(await painter(language), language).toBeNull();
    }
  });

  it("gives the lines of a text with their colours", async () => {
    const lines = await highlightLines(PYTHON, "x.py");
    expect(lines?.map((line) => line.map(({ text }) => text).join(""))).toEqual(PYTHON.split("\n"));
    expect(lines?.[0]?.[0]).toEqual({ text: "def", className: "tok-keyword" });
  });

  it("that grows is painted from where it grew, and ends as if it had come at once", async () => {
    const text = `${'x = """a\n'.repeat(3)}${PYTHON.repeat(100)}`;
    const growing = new Pieces();
    const [first, second] = [await painter("py"), await painter("py")];
    let before: unknown[] = [];
    for (let end = 100; end < text.length; end += 150) {
      const pieces = growing.read(text.slice(0, end), first, false);
      const kept = before.slice(0, -2);
      expect(pieces.slice(0, kept.length)).toEqual(kept);
      if (kept.length) expect(pieces[0]).toBe(kept[0]);
      before = pieces;
    }
    expect(growing.read(text, first, true)).toEqual(new Pieces().read(text, second, true));
  });

  it("is copied whole, and says so", async () => {
    const user = userEvent.setup();
    render(<Code code={PYTHON} language="python" />);
    await user.click(screen.getByRole("button", { name: "Copy" }));
    expect(await screen.findByText("Copied")).toBeTruthy();
    expect(await navigator.clipboard.readText()).toBe(PYTHON);
  });

  it("remembers whether its lines are wrapped", async () => {
    const { unmount } = render(<Code code="x" />);
    await userEvent.click(screen.getByRole("button", { name: "Wrap" }));
    expect(screen.getByRole("button", { name: "Wrap" }).getAttribute("aria-pressed")).toBe("true");
    unmount();
    render(<Code code="y" />);
    expect(screen.getByRole("button", { name: "Wrap" }).getAttribute("aria-pressed")).toBe("true");
    fresh();
  });

  it("of ten megabytes shows its beginning, and more on request", async () => {
    const { container } = render(<Code code={"0123456789\n".repeat(1_000_000)} language="python" />);
    expect(container.textContent!.length).toBeLessThan(100_000);
    await userEvent.click(screen.getByRole("button", { name: "Show 3,000 more of 999,000 lines" }));
    expect(container.textContent!.length).toBeLessThan(100_000);
    await userEvent.click(screen.getByRole("button", { name: "Show less" }));
  });

  it("of one endless line shows its beginning", () => {
    const { container } = render(<Code code={"x".repeat(1_000_000)} />);
    expect(container.textContent!.length).toBeLessThan(100_000);
    expect(screen.getByRole("button", { name: /Show/ })).toBeTruthy();
  });
});
