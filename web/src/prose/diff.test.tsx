/** Changes of files, read and shown. */
import { fireEvent, render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { parseDiff } from "./diff/parse.js";
import { differing } from "./diff/words.js";
import { Diff } from "./diff.js";

const words = (element: Element | null) => element?.textContent?.replace(/\s+/g, " ") ?? "";
const SAME = Array.from({ length: 20 }, (_, n) => ` same ${n}`).join("\n");
const ONE = `diff --git a/src/x.py b/src/x.py
--- a/src/x.py
+++ b/src/x.py
@@ -1,22 +1,22 @@ def f
-one = 1
+one = 2
${SAME}
-last
+end
\\ No newline at end of file
`;

describe("a diff", () => {
  it("is read with names, numbers and counts", () => {
    const [file, ...others] = parseDiff(ONE);
    expect(others).toEqual([]);
    expect(file).toMatchObject({
      before: "src/x.py",
      after: "src/x.py",
      state: "changed",
      added: 2,
      removed: 2,
    });
    expect(file!.hunks[0]!.lines[0]).toMatchObject({
      kind: "removed",
      before: 1,
      after: null,
      text: "one = 1",
    });
    expect(file!.hunks[0]!.lines.at(-2)).toMatchObject({ kind: "added", after: 22, text: "end" });
  });

  it("takes lines that look like headings for what they are", () => {
    const [file, ...others] = parseDiff(
      "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- a comment\n+++ b\n same\n",
    );
    expect(others).toEqual([]);
    expect(file!.hunks[0]!.lines.map(({ kind, text }) => [kind, text])).toEqual([
      ["removed", "-- a comment"],
      ["added", "++ b"],
      ["same", "same"],
    ]);
  });

  it("knows new, deleted, renamed and binary files", () => {
    const files = parseDiff(
      [
        "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x",
        "diff --git a/d b/d\ndeleted file mode 100644\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-x",
        "diff --git a/o b/p\nsimilarity index 100%\nrename from o\nrename to p",
        "diff --git a/b.png b/b.png\nBinary files a/b.png and b/b.png differ",
      ].join("\n"),
    );
    expect(files.map(({ state, binary }) => [state, binary])).toEqual([
      ["added", false],
      ["removed", false],
      ["renamed", false],
      ["changed", true],
    ]);
    expect(files.map(({ before, after }) => after ?? before)).toEqual(["n", "d", "p", "b.png"]);
  });

  it("without any heading is read line by line", () => {
    expect(parseDiff("-a\n+b\n c\n")[0]).toMatchObject({ added: 1, removed: 1 });
  });

  it("says added and removed by words too, and marks what differs", () => {
    const { container } = render(<Diff diff={ONE} />);
    expect(words(container)).toContain("src/x.py+2 (2 lines added)−2 (2 lines removed)");
    const row = screen.getByRole("row", { name: /added: ?one = 2/ });
    expect(within(row).getByText("2", { selector: "mark" })).toBeTruthy();
    expect(words(row)).toBe("1+added: one = 2");
  });

  it("folds what did not change, and unfolds it", () => {
    render(<Diff diff={ONE} />);
    expect(screen.queryByText("same 10")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "12 lines unchanged" }));
    expect(screen.getByText("same 10")).toBeTruthy();
  });

  it("of very many lines shows the first", () => {
    const many = Array.from({ length: 5_000 }, (_, n) => `+line ${n}`).join("\n");
    const { container } = render(<Diff diff={`@@ -0,0 +1,5000 @@\n${many}\n`} path="big.txt" />);
    expect(container.querySelectorAll("tr").length).toBeLessThan(400);
    expect(screen.getByText("Show all 5,000 lines")).toBeTruthy();
    expect(words(container)).toContain("+5000");
  });

  it("shows a name that is not what it looks like", () => {
    render(<Diff diff={"--- a/x\n+++ b/safe\u202egpj.exe\n@@ -1 +1 @@\n-a\n+b\n"} />);
    expect(screen.getByText("U+202E")).toBeTruthy();
  });

  it.each([
    ["x # \u202etxet neddih\u202c end", "right-to-left override (U+202E)"],
    ["x = \u2066a\u2069", "left-to-right isolate (U+2066)"],
    ["is\u200b_admin", "zero width space (U+200B)"],
    ["ok\rmalicious()", "carriage return (U+000D)"],
    ["\u3164 = 1", "Hangul filler (U+3164)"],
    ["if \u0430dmin:", ""],
  ])("marks what deceives in %j", (line, title) => {
    const { container } = render(<Diff diff={`--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+${line}\n`} />);
    if (title) expect(screen.getByTitle(title)).toBeTruthy();
    else expect(container.querySelector(".prose-mixed")?.textContent).toContain("\u0430dmin");
    expect(container.textContent).not.toMatch(/[\u200b\u202e\u2066\r\u3164]/);
  });

  it("shows all of a long line at a press", () => {
    const line = `${"A".repeat(5_200)}; evil()`;
    const { container } = render(<Diff diff={`--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+${line}\n`} />);
    expect(container.textContent).not.toContain("evil()");
    fireEvent.click(screen.getByRole("button", { name: "Show 208 more characters" }));
    expect(container.textContent).toContain(line);
  });

  it("says that there are no changes, and shows what is no diff as it is", () => {
    render(<Diff diff="" />);
    expect(screen.getByText("No changes")).toBeTruthy();
    render(<Diff diff="Not a diff at all" />);
    expect(screen.getByText("Not a diff at all")).toBeTruthy();
  });
});

describe("two lines", () => {
  const cut = (text: string, ranges: { from: number; to: number }[]) =>
    ranges.map(({ from, to }) => text.slice(from, to));

  it("differ by words", () => {
    const [before, after] = ["return text.split(' ')", "return text.split(sep)"];
    const found = differing(before, after)!;
    expect(cut(before, found.before)).toEqual(["' '"]);
    expect(cut(after, found.after)).toEqual(["sep"]);
  });

  it("that have nothing in common are not marked", () => {
    expect(differing("import os", "x = compute(1, 2)")).toBeNull();
    expect(differing("", "x")).toBeNull();
    expect(differing("a ".repeat(5000), "b ".repeat(5000))).toBeNull();
  });
});
