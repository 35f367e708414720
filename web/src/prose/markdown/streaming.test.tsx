/** An answer that comes in pieces looks, at every moment, like the beginning of what it will be. */
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Block } from "./block.js";
import { Blocks, type Block as Shown } from "./blocks.js";

const ANSWER = `# The parser, mended

The test expects **two tokens** where \`split\` gave *one*, so ~~the old way~~ a new one is taken: see
[the docs](https://docs.example/a_b?c=(d)) and https://example.org/x_y_z for more.

Some steps:

- read \`tests/test_parser.py\`, which is **long**
- change *one* line
  - nested, with [a link](https://a.example)
- run \`make test\`

1. first
2. second & third

| file | lines | note |
| :--- | ---: | --- |
| \`src/parser.py\` | 12 | **changed** |
| tests | 4 | new |

\`\`\`python
def parse(text: str) -> list[str]:
    return [part for part in text.split("\`") if part]
\`\`\`

> A quote with _words_ in it
> over two lines.

Energy is $E = mc^2$, and

$$
\\sum_{i=0}^{n} i
$$

- [x] done
- [ ] not done

A note[^1], then the end: it costs $5 and no more.

[^1]: What the note says.

---

Last words with an image ![of a cat](https://cats.example/1.png) and ***both*** marks.
`;

/** What a reader sees, without spaces (which come and go at the end of a line). */
function visible(blocks: Shown[]): string {
  return blocks.map(textOf).join("");
}

const texts = new WeakMap<Shown, string>();

function textOf(block: Shown): string {
  const known = texts.get(block);
  if (known !== undefined) return known;
  const html = renderToStaticMarkup(<Block token={block.token} open={block.open} level={3} />);
  const text = html
    .replace(/<(sup|figcaption)\b.*?<\/\1>/g, "")
    .replace(/<[^>]*>/g, "")
    .replace(/&amp;/g, "&")
    .replace(/&quot;/g, '"')
    .replace(/&gt;/g, ">")
    .replace(/\s+/g, "");
  texts.set(block, text);
  return text;
}

describe("an answer that streams", () => {
  it("never shows what it takes back, and holds nothing back for long", () => {
    const reader = new Blocks();
    const whole = visible(new Blocks().read(ANSWER, false));
    const taken: string[] = [];
    let [longest, since, before] = [0, 0, 0];
    for (let end = 1; end <= ANSWER.length; end++) {
      const shown = visible(reader.read(ANSWER.slice(0, end), true));
      const last = JSON.stringify(ANSWER.slice(Math.max(0, end - 25), end));
      if (!whole.startsWith(shown)) taken.push(`${last}: ${shown.slice(-40)}`);
      since = shown.length > before ? 0 : since + 1;
      before = shown.length;
      longest = Math.max(longest, since);
    }
    expect(taken).toEqual([]);
    expect(before).toBeGreaterThan(whole.length * 0.95);
    expect(longest).toBeLessThan(60);
  });

  it("is, at its end, what it would be if it had come at once", () => {
    for (const step of [1, 3, 7, 50, 400]) {
      const reader = new Blocks();
      for (let end = step; end < ANSWER.length; end += step) reader.read(ANSWER.slice(0, end), true);
      expect(reader.read(ANSWER, false).map(({ token }) => token.raw)).toEqual(
        new Blocks().read(ANSWER, false).map(({ token }) => token.raw),
      );
    }
  });

  it("keeps the blocks that were read", () => {
    const reader = new Blocks();
    const half = reader.read(ANSWER.slice(0, 900), true);
    const more = reader.read(ANSWER.slice(0, 1000), true);
    for (const [n, block] of half.slice(0, -3).entries()) expect(more[n]).toBe(block);
  });

  it("costs the same at the end of a long text as at its beginning", () => {
    const long = ANSWER.repeat(150);
    const reader = new Blocks();
    reader.read(long.slice(0, -2000), true);
    const kept = reader.read(long.slice(0, -1990), true);
    const next = reader.read(long.slice(0, -1980), true);
    expect(kept.length).toBeGreaterThan(2000);
    expect(next.filter((block, n) => block !== kept[n]).length).toBeLessThan(4);
  });

  it("starts again when something else is said", () => {
    const reader = new Blocks();
    reader.read("One thing\n\nand another\n\nand", true);
    expect(reader.read("Other", true).map(({ token }) => token.raw)).toEqual(["Other"]);
  });

  it("finds a link's target wherever it stands", () => {
    const text = "See [the page][p].\n\nMore words.\n\n[p]: https://a.example/\n\nAnd the end.\n";
    const reader = new Blocks();
    for (let end = 1; end < text.length; end++) reader.read(text.slice(0, end), true);
    const html = renderToStaticMarkup(
      reader
        .read(text, false)
        .map(({ at, token }) => <Block key={at} token={token} open={false} level={3} />),
    );
    expect(html).toContain('href="https://a.example/"');
  });

  it("reads lines that end as on Windows", () => {
    const text = "# One\r\n\r\n- a\r\n- b\r\n\r\n```js\r\nx\r\n```\r\n";
    const reader = new Blocks();
    for (let end = 1; end < text.length; end++) reader.read(text.slice(0, end), true);
    expect(reader.read(text, false).map(({ token }) => token.type)).toEqual(["heading", "list", "code"]);
  });
});

describe("half of something", () => {
  const shown = (text: string) => visible(new Blocks().read(text, true));

  it.each([
    ["a **bo", "abo"],
    ["a **bold*", "abold"],
    ["a `co", "aco"],
    ["a ``co`d", "aco`d"],
    ["see [the do", "see"],
    ["see [the docs](https://exa", "see"],
    ["see ![cat](https://ex", "see"],
    ["para\n#", "para"],
    ["para\n-", "para"],
    ["para\n--", "para"],
    ["para\n\n1", "para"],
    ["para\n\n```py", "para"],
    ["a | b\n", "a|b"],
    ["| a | b", ""],
    ["| a | b |\n", "ab"],
    ["| a | b |\n|--", "ab"],
    ["x $a^", "x"],
    ["x \\(a", "x"],
    ["x \\", "x"],
    ["x &am", "x"],
    ["a ~~gone", "agone"],
    ["- **a", "a"],
    ["> *a", "a"],
    ["it costs $5", "itcosts$5"],
    ["2 * 3", "2*3"],
    ["a_b_c", "a_b_c"],
  ])("%j is shown as %j", (text, seen) => {
    expect(shown(text)).toBe(seen);
  });

  it("is shown after all when it stays half", () => {
    expect(shown(`see [${"word ".repeat(80)}`)).toContain("[word");
    expect(visible(new Blocks().read("a **bo", false))).toBe("a**bo");
  });
});
