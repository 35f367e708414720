/** What can't be seen, or is not what it looks like, is named. */
import { act, render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { CutContext } from "./cut.js";
import { partsOf } from "./plain-characters.js";
import { Plainly } from "./plainly.js";

const marked = (text: string) =>
  partsOf(text).flatMap((part) =>
    part.kind === "text"
      ? []
      : [
          part.kind === "hidden"
            ? part.name
            : part.kind === "mixed"
              ? part.text
              : part.kind === "gap"
                ? `${part.times} ${part.of}`
                : "trailing",
        ],
  );

describe("a text shown plainly", () => {
  it.each([
    ["rm\u202e -rf", ["right-to-left override"]],
    ["a\u2066b\u2069", ["left-to-right isolate", "pop isolate"]],
    ["a\u200bb\ufeff", ["zero width space", "zero width no-break space"]],
    ["a\u00a0b\u3000c", ["no-break space", "ideographic space"]],
    ["a\x1b[31m\x00\r\n", ["escape", "null", "carriage return"]],
    ["\u{e0041}\u{e0042}", ["tag character", "tag character"]],
    ["a\u3164b", ["Hangul filler"]],
    ["x\u2028y", ["line separator"]],
    ["\ud800", ["half a character"]],
    ["end  \nnext\t\n", ["trailing", "trailing"]],
    ["curl pаypal.com", ["pаypal"]],
    ["сору x", ["сору"]],
    ["ｒｍ -rf", ["ｒｍ"]],
    ["a\u0300\u0301\u0302\u0302b", ["mark on a mark"]],
    ["-\u0300\u0301\u0302", ["mark on a mark"]],
    ["a\u2065\ufff0\ufff8\u{e0080}\u{e0fff}b", Array(5).fill("unassigned character")],
    ["a\u180fb \u{1d159}", ["variation selector", "invisible character"]],
    ["a\u{e0100}b\u{e01ef}\u{e01ee}c", Array(3).fill("variation selector")],
    ["const t\u{e0141}\u{e0142}h\u{e0143}\u{e0144}e", Array(4).fill("variation selector")],
    ["1\ufe0f2\ufe0f", ["variation selector", "variation selector"]],
    ["❤\ufe0f\ufe0f\u200d\ufe0f", ["variation selector", "zero width joiner", "variation selector"]],
    ["❤\u200d\u200d❤", ["zero width joiner"]],
    [`: '\n${"\ufff0\n".repeat(60)}'; rm -rf x`, ["60 lines"]],
    [`: '\n${" \u3000\u{e0101}\n".repeat(60)}'; rm -rf x`, ["60 lines"]],
    [`true\n${" \n".repeat(40)}rm -rf x`, ["40 lines"]],
    [`true;${" ".repeat(900)}rm -rf x`, ["900 spaces"]],
  ])("marks %j", (text, found) => {
    expect(marked(text)).toEqual(found);
  });

  it.each([
    "make test && echo 'done'\n\tindented\n",
    "grüße, naïve, Ελλάδα, Москва, 日本語テスト, שלום, नमस्ते, ภาษาไทย",
    "👨‍👩‍👧 ❤️ 1️⃣ 🏳️‍🌈 👍🏽",
    "e\u0301",
    "one\n\n\n\ntwo",
    `if x:\n${" ".repeat(40)}y`,
  ])("leaves %j as it is", (text) => {
    expect(marked(text)).toEqual([]);
  });

  it("loses nothing", () => {
    for (const text of ["a\u202eb  \nсору\u200b\u200b x", "", "\n\n", "plain"]) {
      const whole = partsOf(text)
        .map((part) =>
          part.kind === "hidden" ? String.fromCodePoint(part.point).repeat(part.times) : part.text,
        )
        .join("");
      expect(whole).toBe(text);
    }
  });

  it("has a chip with the code and the name, and counts them", () => {
    const { container } = render(<Plainly text={"rm \u202e\u202e\u202ex"} />);
    const chip = screen.getByTitle("right-to-left override (U+202E)");
    expect(chip.textContent).toBe("U+202E ×3 right-to-left override");
    expect(container.textContent).toContain("1 place that is not what it looks like is marked.");
    expect(container.textContent).not.toContain("\u202e");
  });

  it("counts empty lines and spaces that would push the rest out of sight", () => {
    const { container } = render(
      <Plainly text={`true\n${"\n".repeat(400)}rm -rf x; ${" ".repeat(5_000)}y`} />,
    );
    expect(container.querySelector("pre")!.textContent).toBe("true\n400 empty lines\nrm -rf x;5,001 spacesy");
  });

  it("tells that there is something in lines of which nothing is seen", () => {
    const { container } = render(<Plainly text={`: '\n${"\ufff0\n".repeat(60)}'; rm -rf x`} />);
    expect(container.querySelector("pre")!.textContent).toBe(
      ": '\n60 empty lines with 60 hidden characters\n'; rm -rf x",
    );
  });

  it("is read in no time, however many spaces it has", () => {
    const begun = performance.now();
    partsOf(`${" ".repeat(60_000)}x${"\n  ".repeat(20_000)}y`);
    partsOf(`${`\n${"\ufff0".repeat(2_000)}`.repeat(3)}x`.repeat(3));
    expect(performance.now() - begun).toBeLessThan(100);
  });

  it("inside a line says what it leaves out, to whoever has to know too", () => {
    let cuts = 0;
    const count = (change: number) => {
      cuts += change;
    };
    const text = `${"a".repeat(70_000)}EVIL`;
    const { container } = render(
      <CutContext value={count}>
        <Plainly text={text} inline />
      </CutContext>,
    );
    expect(cuts).toBe(1);
    act(() => screen.getByRole("button", { name: /Show/ }).click());
    expect(container.textContent).toBe(text);
    expect(cuts).toBe(0);
  });

  it("of megabytes shows its beginning first", () => {
    const { container } = render(<Plainly text={"echo x\n".repeat(700_000)} />);
    expect(container.textContent!.length).toBeLessThan(100_000);
    expect(screen.getByRole("button", { name: /Show/ })).toBeTruthy();
  });
});
