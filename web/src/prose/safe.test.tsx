/** Whatever a model or a tool says: nothing of it can run, and nothing of it is fetched. The same payloads go through a
 * real browser in `tests/studio/test_safe_rendering.py`. */
import { render } from "@testing-library/react";
import { createElement, type ReactElement } from "react";
import { describe, expect, it } from "vitest";
import { Ansi } from "./ansi.js";
import { Code } from "./code.js";
import { Diff } from "./diff.js";
import { Markdown } from "./markdown.js";
import { Plainly } from "./plainly.js";

const FILES: Record<string, string> = import.meta.glob("../../../tests/studio/payloads.json", {
  query: "?raw",
  import: "default",
  eager: true,
});
const payloads = JSON.parse(Object.values(FILES)[0]!) as { name: string; text: string; times?: number }[];

const TAGS = new Set(
  `a b bdi blockquote br button code col colgroup del div em figcaption figure h1 h2 h3 h4 h5 h6 hr img li mark ol p pre s section
  span strong sup table tbody td th thead tr ul svg path rect circle line polyline ellipse`.split(/\s+/),
);
const ATTRIBUTES = new Set(
  `class id href title target rel src alt loading decoding tabindex role scope colspan start dir type style
  xmlns width height viewbox fill stroke stroke-width stroke-linecap stroke-linejoin d x y x1 x2 y1 y2 cx cy r rx ry
  points data-depth data-kind data-wrap`.split(/\s+/),
);
const STYLE = /^(?:(?:background-)?color: (?:oklch\(var\(--ansi-[fb]g\) [\d. ]+\)|);? ?)*$/;

/** Everything in a view that could run or fetch something. */
function dangers(root: Element): string[] {
  const found: string[] = [];
  for (const element of root.querySelectorAll("*")) {
    const tag = element.tagName.toLowerCase();
    if (!TAGS.has(tag)) found.push(`<${tag}>`);
    for (const { name, value } of element.attributes) {
      const known = ATTRIBUTES.has(name.toLowerCase()) || name.startsWith("aria-");
      if (!known) found.push(`${tag} ${name}=${value}`);
      if (name === "style" && !STYLE.test(value)) found.push(`style ${value}`);
    }
    const href = element.getAttribute("href");
    if (href !== null && !isSafeLink(element, href)) found.push(`link ${href}`);
    const src = element.getAttribute("src");
    if (src !== null && !/^(data:image\/|http:\/\/localhost)/.test(src)) found.push(`image ${src}`);
  }
  return found;
}

function isSafeLink(element: Element, href: string): boolean {
  return (
    /^(https?|mailto):/.test(href) &&
    element.getAttribute("target") === "_blank" &&
    element.getAttribute("rel") === "noopener noreferrer" &&
    (element.getAttribute("title") ?? "").includes(href.slice(0, 100))
  );
}

const VIEWS: Record<string, (text: string) => ReactElement> = {
  "an answer": (text) => <Markdown text={text} />,
  "an answer that is still coming": (text) => <Markdown text={text} streaming />,
  output: (text) => <Ansi text={text} />,
  "output that is still coming": (text) => <Ansi text={text} live />,
  "a command": (text) => <Plainly text={text} />,
  code: (text) => <Code code={text} language={text.slice(0, 40)} />,
  "a diff": (text) => <Diff diff={text} path={text.slice(0, 200)} />,
  "the lines of a diff": (text) => <Diff diff={`@@ -1 +1 @@\n-${text}\n+${text}x`} />,
};

const whole = ({ text, times = 1 }: { text: string; times?: number }) => text.repeat(times);

describe("what others wrote", () => {
  it("is tried with at least two hundred payloads", () => {
    expect(payloads.length).toBeGreaterThanOrEqual(200);
  });

  it("would be found out if it did something", () => {
    const { container } = render(
      <div>
        {createElement("img", { src: "https://evil.example/p.png" })}
        {createElement("script")}
        <a href="https://evil.example">x</a>
        <div style={{ position: "fixed" }} data-x="1" />
      </div>,
    );
    expect(dangers(container)).toHaveLength(5);
  });

  for (const [name, view] of Object.entries(VIEWS)) {
    it(`can neither run nor fetch anything as ${name}`, () => {
      const { container } = render(
        <main>
          {payloads.map((payload) => (
            <div key={payload.name} id={payload.name}>
              {view(whole(payload))}
            </div>
          ))}
        </main>,
      );
      const found = [...container.firstElementChild!.children].flatMap((place) =>
        dangers(place).map((danger) => `${place.id}: ${danger}`),
      );
      expect(container.firstElementChild!.children).toHaveLength(payloads.length);
      expect(found.slice(0, 20)).toEqual([]);
    }, 60_000);
  }
});
