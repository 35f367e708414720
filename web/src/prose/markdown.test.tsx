/** Answers as a reader meets them. */
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, describe, expect, it } from "vitest";
import { Markdown } from "./markdown.js";

const words = (element: Element | null) => element?.textContent?.replace(/\s+/g, " ") ?? "";
// Loaded before, because a first import takes longer than a wait.
beforeAll(async () => {
  await Promise.all([import("./markdown/katex.js"), import("./markdown/mermaid.js")]);
});

const show = (text: string, streaming = false) => render(<Markdown text={text} streaming={streaming} />);

describe("an answer", () => {
  it("has headings below those of the page", () => {
    show("# One\n\n## Two\n\n###### Six");
    expect(screen.getByRole("heading", { name: "One", level: 3 })).toBeTruthy();
    expect(screen.getByRole("heading", { name: "Two", level: 4 })).toBeTruthy();
    expect(screen.getByRole("heading", { name: "Six", level: 6 })).toBeTruthy();
  });

  it("shows raw HTML as the text it is", () => {
    const { container } = show("before <b onclick=x>bold</b> after\n\n<div>\nblock\n</div>");
    expect(words(container)).toContain("before <b onclick=x>bold</b> after");
    expect(words(container)).toContain("<div> block </div>");
    expect(container.querySelector("b")).toBeNull();
  });

  it("says where a link leads, and opens it elsewhere", () => {
    show("[the docs](https://docs.example/a?b=1&amp;c=2)");
    const link = screen.getByRole("link", { name: "the docs" });
    expect(link.getAttribute("href")).toBe("https://docs.example/a?b=1&c=2");
    expect(link.getAttribute("title")).toBe("Leads to https://docs.example/a?b=1&c=2");
    expect(link.getAttribute("rel")).toBe("noopener noreferrer");
    expect(link.getAttribute("target")).toBe("_blank");
  });

  it("says the host of a link that claims another one", () => {
    const { container } = show(
      "[https://bank.example/login](https://evil.example/x) [bank.example](https://bank.example/)",
    );
    expect(words(container)).toContain("https://bank.example/login (leads to evil.example) bank.example");
  });

  it.each([
    "https://bank.example",
    "Sign in at https://bank.example/login",
    "see www.bank.example now",
    "bank.ex\u200bample",
    "BANK.example:8080/x",
  ])("says where %s leads if it leads elsewhere, and only then", (claim) => {
    const { container, rerender } = show(`[${claim}](https://evil.example/x)`);
    expect(words(container)).toContain("(leads to evil.example)");
    rerender(<Markdown text={`[${claim}](https://www.bank.example:8080/y)`} />);
    expect(words(container)).not.toContain("leads to");
  });

  it.each([
    `${location.origin}/api/sessions/1/export`,
    "javascript:alert(1)",
    "data:text/html,x",
    "/api/people",
    "file:///etc/passwd",
    "java&#10;script:x",
  ])("does not make a link of %s", (href) => {
    show(`[words](<${href}>)`);
    expect(screen.getByText("words")).toBeTruthy();
    expect(screen.queryByRole("link")).toBeNull();
  });

  it("shows pictures of this server and in the text, and links to those of others", () => {
    show(
      "![dot](data:image/gif;base64,R0lGODlhAQABAAAAACw=) ![chart](api/blobs/1) ![cat](https://cats.example/1.png)",
    );
    expect(screen.getAllByRole("img").map((image) => image.getAttribute("alt"))).toEqual(["dot", "chart"]);
    expect(screen.getByRole("link", { name: "Image at cats.example" })).toBeTruthy();
  });

  it("shows tables, tasks and lists as what they are", () => {
    show("| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] did it\n- [ ] will\n\n3. three\n4. four");
    expect(within(screen.getByRole("table")).getAllByRole("columnheader")).toHaveLength(2);
    expect(screen.getByText("Done:")).toBeTruthy();
    expect(screen.getByText("Not done:")).toBeTruthy();
    expect(screen.getAllByRole("list")[1]?.getAttribute("start")).toBe("3");
  });

  it.each([
    ["html site/index.html", "site/index.html"],
    ["python", "python"],
    ["js {1,3} title=x.js", "js"],
  ])("names the file that code is for, or its language: %s", (said, name) => {
    show(`\`\`\`${said}\n1\n\`\`\``);
    expect(screen.getByRole("figure", { name: `Code:${name}` })).toBeTruthy();
  });

  it("decodes character references, but not in code", () => {
    const { container } = show("a &amp; b &lt;c&gt; &#8594; `&amp;` &unknown; &constructor;");
    expect(words(container)).toContain("a & b <c> → &amp; &unknown; &constructor;");
  });

  it("draws formulas, and leaves prices alone", async () => {
    const { container } = show("It costs $5 or $10, and $x^2$ is \\(y\\).\n\n$$\na+b\n$$");
    expect(words(container)).toContain("It costs $5 or $10, and");
    await screen.findAllByText("x^2", { selector: "annotation" });
    await screen.findAllByText("a+b", { selector: "annotation" });
    expect(container.querySelectorAll("math")).toHaveLength(3);
  });

  it("shows the source of what is no formula", async () => {
    show(
      "$\\frac{1}$ and $\\href{https://evil.example}{x}$ and $\\includegraphics{https://evil.example/p.png}$",
    );
    expect(await screen.findByText("\\frac{1}")).toBeTruthy();
    expect(document.querySelector("a, img")).toBeNull();
  });

  it("says why a diagram is not drawn, and has its source", async () => {
    show('```mermaid\ngraph TD\nA@{ img: "https://evil.example/p.png" }\n```');
    expect(await screen.findByText("This diagram could not be drawn.")).toBeTruthy();
    expect(screen.getByText(/would fetch something from elsewhere/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Source" }));
    expect(screen.getByText(/graph TD/)).toBeTruthy();
  });

  it("is plain text where it is nested deeper than anybody writes", () => {
    const { container } = show(`Before *it*\n\n${"> ".repeat(5000)}\n\nAfter *it*`);
    expect(words(container)).toContain("> > >");
    expect([...container.querySelectorAll("em")].map(words)).toEqual(["it", "it"]);
  });

  it("shows something for nothing", () => {
    expect(show("").container.textContent).toBe("");
    expect(show("\n\n", true).container.textContent).toBe("");
  });

  it("shows what comes, and all of it at the end", async () => {
    const { rerender, container } = show("One **tw", true);
    expect(words(container)).toContain("One tw");
    rerender(<Markdown text="One **two** three" streaming />);
    await screen.findByText(/three/);
    rerender(<Markdown text="One **two** three *fo" />);
    expect(words(container)).toContain("One two three *fo");
  });
});
