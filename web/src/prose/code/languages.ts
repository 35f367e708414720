/** The languages, and how their words are painted. Heavy: only `highlight.ts` loads it, and each language when asked. */
import { LanguageDescription } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { type Parser, type Tree, TreeFragment } from "@lezer/common";
import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import { goesOn } from "../grown.js";
import type { Painter, Span } from "../highlight.js";

const WORDS = tagHighlighter([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], class: "tok-keyword" },
  { tag: [tags.string, tags.character, tags.attributeValue, tags.docString], class: "tok-string" },
  { tag: [tags.regexp, tags.escape, tags.special(tags.string)], class: "tok-escape" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color], class: "tok-number" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment, tags.docComment], class: "tok-comment" },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName], class: "tok-type" },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.macroName, tags.labelName],
    class: "tok-function",
  },
  { tag: [tags.definition(tags.variableName), tags.definition(tags.propertyName)], class: "tok-name" },
  { tag: [tags.propertyName, tags.attributeName], class: "tok-property" },
  { tag: [tags.meta, tags.processingInstruction, tags.annotation], class: "tok-meta" },
  { tag: [tags.heading, tags.strong], class: "tok-strong" },
  { tag: tags.emphasis, class: "tok-emphasis" },
  { tag: [tags.link, tags.url], class: "tok-link" },
  { tag: tags.inserted, class: "tok-inserted" },
  { tag: tags.deleted, class: "tok-deleted" },
]);

/** What models write after three backticks and the languages call otherwise. */
const OTHER_NAMES = new Map(
  Object.entries({
    console: "shell",
    shellsession: "shell",
    "shell-session": "shell",
    terminal: "shell",
    py: "python",
    py3: "python",
    python3: "python",
    rs: "rust",
    golang: "go",
    yml: "yaml",
    jsonc: "json",
    jsonl: "json",
    md: "markdown",
    docker: "dockerfile",
    kt: "kotlin",
    cs: "c#",
    csharp: "c#",
    "c++": "cpp",
    objc: "objective-c",
    ps1: "powershell",
    rb: "ruby",
    make: "shell",
    makefile: "shell",
    env: "properties",
    dotenv: "properties",
    ini: "properties",
    conf: "properties",
    svg: "xml",
  }),
);

/** The language of a name, of an extension, or of a path. */
function languageOf(wanted: string): LanguageDescription | null {
  const name = wanted.trim().toLowerCase();
  const known = OTHER_NAMES.get(name) ?? name;
  return (
    LanguageDescription.matchLanguageName(languages, known, false) ??
    LanguageDescription.matchFilename(languages, wanted.split("/").at(-1)!) ??
    LanguageDescription.matchFilename(languages, `x.${known}`)
  );
}

export async function painterOf(wanted: string): Promise<Painter | null> {
  const found = languageOf(wanted);
  if (!found) return null;
  const support = await found.load();
  return new TreePainter(support.language.parser);
}

/** Reads a text into a tree; one that grew is read from where it grew. */
class TreePainter implements Painter {
  #code = "";
  #tree: Tree | null = null;

  constructor(private readonly parser: Parser) {}

  read(code: string): void {
    if (this.#tree && code === this.#code) return;
    const grown = this.#tree && goesOn(code, this.#code);
    this.#tree = this.parser.parse(code, grown ? TreeFragment.addTree(this.#tree!, [], true) : []);
    this.#code = code;
  }

  paint(from: number, to: number): Span[] {
    const spans: Span[] = [];
    let at = from;
    const plain = (end: number) => {
      if (end > at) spans.push({ text: this.#code.slice(at, end), className: "" });
    };
    if (this.#tree) {
      highlightTree(
        this.#tree,
        WORDS,
        (start, end, className) => {
          const [begin, stop] = [Math.max(start, at), Math.min(end, to)];
          if (stop <= begin) return;
          plain(begin);
          spans.push({ text: this.#code.slice(begin, stop), className });
          at = stop;
        },
        from,
        to,
      );
    }
    plain(to);
    return spans;
  }
}
