/** Output as a terminal would show it. */
import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Screen } from "./ansi/screen.js";
import { hue, styled } from "./ansi/style.js";
import { Ansi } from "./ansi.js";

const words = (element: Element | null) => element?.textContent?.replace(/\s+/g, " ") ?? "";
const rows = (...written: string[]) => {
  const shown = new Screen();
  for (const text of written) shown.write(text);
  return shown.rows.map(({ runs }) => runs.map(({ text }) => text).join(""));
};

describe("a screen", () => {
  it.each([
    ["10%\r50%\r100%\n", ["100%", ""]],
    ["long line\rshort\x1b[K\n", ["short", ""]],
    ["abc\b\bX\n", ["aXc", ""]],
    ["abc\x1b[2Kd\n", ["   d", ""]],
    ["abc\x1b[1Kd\n", ["   d", ""]],
    ["a\tb\n", ["a       b", ""]],
    ["one\ntwo\x1b[1A\rONE\n", ["ONE", "two"]],
    ["one\ntwo\x1b[1A\x1b[Jx", ["onex"]],
    ["ab\x1b[5Gc", ["ab  c"]],
    ["\x1b]0;title\x07text\x1b[?25l\x1b[2J\x1b(B\x1bM", ["text"]],
    ["\x1bPq#0;1\x1b\\x\x07\x00y", ["xy"]],
    ["\x1b[999999999Cx".slice(0, 12), ["".padEnd(0)]],
  ])("shows %j as %j", (text, shown) => {
    expect(rows(text)).toEqual(shown);
  });

  it("shows the same however the text is cut", () => {
    const text = "a\x1b[31mred\x1b[0m\r\nb\x1b]8;;https://a.example\x07link\x1b]8;;\x07 50%\r100%\x1b[K\nend";
    for (let at = 1; at < text.length; at++)
      expect(rows(text.slice(0, at), text.slice(at))).toEqual(rows(text));
    expect(rows(...text)).toEqual(rows(text));
  });

  it("does not wait for ever for the end of an escape", () => {
    expect(rows(`\x1b]0;${"x".repeat(10_000)}`, "more").join("")).toContain("more");
  });

  it("goes no farther than a screen is wide", () => {
    expect(rows("\x1b[999999999Cx")[0]!.length).toBeLessThan(2_000);
    expect(rows("\x1b[999999999B\x1b[999999999A\x1b[999999999Gx")).toHaveLength(1);
  });

  it("keeps a row that did not change", () => {
    const shown = new Screen();
    shown.write("one\ntwo\nthree");
    const [first, second] = shown.rows;
    shown.write(" more\n");
    expect(shown.rows[0]).toBe(first);
    expect(shown.rows[1]).toBe(second);
  });
});

describe("a style", () => {
  it("knows the sixteen, the 256 and all colours", () => {
    expect(styled({}, "1;31")).toMatchObject({ bold: true, fg: 1 });
    expect(styled({}, "38;5;9")).toMatchObject({ fg: 9 });
    expect(styled({}, "38;5;208;4")).toMatchObject({
      fg: expect.stringMatching(/^0\.\d+ \d+$/),
      underline: true,
    });
    expect(styled({}, "38:2::255:0:0")).toEqual(styled({}, "38;2;255;0;0"));
    expect(styled({ bold: true, fg: 1 }, "")).toEqual({});
    expect(styled({ fg: 1, bg: 2 }, "39;49")).toEqual({ fg: undefined, bg: undefined });
    expect(styled({}, "38;9;1")).toMatchObject({ bold: true });
  });

  it("takes the hue of a colour and not its lightness", () => {
    expect(hue(255, 0, 0)).toEqual(hue(128, 0, 0));
    expect(hue(10, 10, 10)).toBe(8);
    expect(hue(250, 250, 250)).toBe(15);
  });
});

describe("output", () => {
  const lines = (n: number) => Array.from({ length: n }, (_, at) => `line ${at}\n`).join("");

  it("shows twelve lines first, then all", () => {
    const { container } = render(<Ansi text={lines(482)} />);
    const shown = () => words(container).match(/line \d+/g)?.length;
    expect(shown()).toBe(12);
    fireEvent.click(screen.getByText("Show all 482 lines"));
    expect(shown()).toBe(482);
    fireEvent.click(screen.getByText("Show less"));
    expect(shown()).toBe(12);
  });

  it("of very many lines comes in pieces", () => {
    render(<Ansi text={lines(30_000)} />);
    expect(screen.getByText("Show 4,988 more of 29,988 lines")).toBeTruthy();
  });

  it("that still comes shows its end", () => {
    const { rerender } = render(<Ansi text={lines(100)} live />);
    expect(screen.getByText("line 99")).toBeTruthy();
    expect(screen.queryByText("line 1")).toBeNull();
    rerender(<Ansi text={`${lines(100)}one more`} live />);
    expect(screen.getByText("one more")).toBeTruthy();
    rerender(<Ansi text={`${lines(100)}one more`} />);
    expect(screen.getByText("line 1")).toBeTruthy();
  });

  it("of ten megabytes is cheap until all of it is asked for", () => {
    const text = "0123456789\n".repeat(900_000);
    const began = performance.now();
    const { container, rerender } = render(<Ansi text={text} />);
    rerender(<Ansi text={text} live />);
    expect(container.textContent!.length).toBeLessThan(1_000);
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it("cuts a line without end", () => {
    const { container } = render(<Ansi text={"x".repeat(1_000_000)} />);
    expect(words(container)).toContain("995,000 more characters in this line");
  });

  it("has colours, and links that can be trusted", () => {
    render(
      <Ansi
        text={
          "\x1b[31mred\x1b[0m \x1b]8;;https://a.example/\x07link\x1b]8;;\x07 \x1b]8;;javascript:x\x07bad\x1b]8;;\x07"
        }
      />,
    );
    expect(screen.getByText("red").className).toContain("ansi-f1");
    expect(screen.getAllByRole("link")).toHaveLength(1);
    expect(screen.getByRole("link", { name: "link" }).getAttribute("href")).toBe("https://a.example/");
  });

  it("says that there was none", () => {
    render(<Ansi text="" />);
    expect(screen.getByText("No output")).toBeTruthy();
  });
});
