/** Block tokens as elements. Raw HTML is text, and so is whatever is not known. */
import type { Token, Tokens } from "marked";
import { memo, type ReactNode } from "react";
import { texts } from "../../texts/texts.js";
import { Code } from "../code.js";
import { Diagram } from "./diagram.js";
import { decodeEntities } from "./entities.js";
import { Formula } from "./formula.js";
import { inline } from "./inline.js";
import type { FormulaToken, NoteTextToken } from "./lexer.js";
import { List } from "./list.js";
import { Table } from "./table.js";

interface BlockProps {
  token: Token;
  /** More of it comes. */
  open: boolean;
  /** The level of its first headings: below those of the page. */
  level: number;
  depth?: number;
}

const DEEPEST = 12;

/** One block; the same source is not rendered again. */
export const Block = memo(
  function Block({ token, open, level, depth = 0 }: BlockProps): ReactNode {
    if (depth > DEEPEST) return <p>{token.raw}</p>;
    switch (token.type) {
      case "paragraph":
        return <p>{inline(token.tokens)}</p>;
      case "text":
        return token.tokens ? inline(token.tokens) : decodeEntities((token as Tokens.Text).text);
      case "heading":
        return <Heading token={token as Tokens.Heading} level={level} />;
      case "code":
        return <CodeOf token={token as Tokens.Code} open={open} />;
      case "list":
        return <List token={token as Tokens.List} open={open} level={level} depth={depth} />;
      case "table":
        return <Table token={token as Tokens.Table} />;
      case "blockquote":
        return <blockquote>{blocks(token.tokens, open, level, depth + 1)}</blockquote>;
      case "hr":
        return <hr />;
      case "formula":
        return <Formula tex={(token as FormulaToken).text} display />;
      case "noteText":
        return <Note token={token as NoteTextToken} />;
      case "space":
      case "def":
      case "checkbox":
        return null;
      default:
        return <p className="whitespace-pre-wrap">{token.raw.replace(/\n+$/, "")}</p>;
    }
  },
  (before, after) =>
    before.open === after.open &&
    before.level === after.level &&
    (before.token === after.token ||
      (before.token.type === after.token.type &&
        before.token.raw === after.token.raw &&
        !refers(before.token))),
);

/** What it shows may depend on a link's target that stands elsewhere. */
const refers = (token: Token) => token.raw.includes("]") && !token.raw.includes("](");

export function blocks(tokens: Token[] | undefined, open: boolean, level: number, depth: number): ReactNode {
  const last = (tokens?.length ?? 0) - 1;
  return tokens?.map((token, n) => (
    <Block key={n} token={token} open={open && n === last} level={level} depth={depth} />
  ));
}

function Heading({ token, level }: { token: Tokens.Heading; level: number }) {
  const Tag = `h${Math.min(6, level + token.depth - 1)}` as "h3";
  return <Tag data-depth={token.depth}>{inline(token.tokens)}</Tag>;
}

function CodeOf({ token, open }: { token: Tokens.Code; open: boolean }) {
  const language = token.lang?.split(/[\s,{]/)[0];
  if (language === "mermaid") return <Diagram source={token.text} open={open} />;
  if (language === "math" || language === "latex-math") return <Formula tex={token.text} display />;
  // "html index.html": answers say so which file it is.
  const file = token.lang?.split(/\s+/).find((word, n) => n > 0 && /^[^={]*[./][^={]*$/.test(word));
  return <Code code={token.text} language={language || undefined} file={file} streaming={open} />;
}

function Note({ token }: { token: NoteTextToken }) {
  return (
    <p className="prose-note">
      <span className="text-note" title={texts.prose.footnote(token.name)}>
        [{token.name}]
      </span>{" "}
      {inline(token.tokens)}
    </p>
  );
}
