/** Inline tokens as elements. Whatever is not known here is shown as it was written. */
import type { Token, Tokens } from "marked";
import type { ReactNode } from "react";
import { texts } from "../../texts/texts.js";
import { decodeEntities } from "./entities.js";
import { Formula } from "./formula.js";
import type { FormulaToken, NoteToken } from "./lexer.js";
import { Link, Picture } from "./link.js";

/** Nested deeper than this it is nobody's formatting: shown as it was written. */
const DEEPEST = 24;

export function inline(tokens: Token[] | undefined, depth = 0): ReactNode {
  if (!tokens) return null;
  if (depth > DEEPEST) return tokens.map(({ raw }) => raw).join("");
  return tokens.map((token, n) => <Piece key={n} token={token} depth={depth} />);
}

function Piece({ token, depth }: { token: Token; depth: number }): ReactNode {
  const within = "tokens" in token ? token.tokens : undefined;
  const inner = () => inline(within, depth + 1);
  switch (token.type) {
    case "text":
    case "escape":
      return within ? inner() : decodeEntities((token as Tokens.Text).text);
    case "strong":
      return <strong>{inner()}</strong>;
    case "em":
      return <em>{inner()}</em>;
    case "del":
      return <del>{inner()}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
      return <LinkOf token={token as Tokens.Link}>{inner()}</LinkOf>;
    case "image": {
      const { href, text } = token as Tokens.Image;
      return <Picture href={decodeEntities(href)} alt={decodeEntities(text)} />;
    }
    case "formula":
      return <Formula tex={(token as FormulaToken).text} display={false} />;
    case "note":
      return <NoteMark name={(token as NoteToken).name} />;
    case "checkbox":
      return null;
    default:
      return token.raw;
  }
}

function LinkOf({ token, children }: { token: Tokens.Link; children: ReactNode }) {
  const href = token.autolink ? token.href : decodeEntities(token.href);
  return (
    <Link href={href} words={decodeEntities(token.text)}>
      {children}
    </Link>
  );
}

function NoteMark({ name }: { name: string }) {
  return (
    <sup>
      <span className="text-note" title={texts.prose.footnote(name)}>
        [{name}]
      </span>
    </sup>
  );
}
