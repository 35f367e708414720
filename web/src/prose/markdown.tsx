/** What a model says, as it says it: Markdown to elements, block by block. No HTML is ever made of it. */
import { memo, useEffect, useRef, useState } from "react";
import { goesOn } from "./grown.js";
import { Block } from "./markdown/block.js";
import { Blocks } from "./markdown/blocks.js";
import "./markdown/markdown.css";
import "./prose.css";

export interface MarkdownProps {
  text: string;
  /** More of it comes. */
  streaming?: boolean;
  /** The level of its first headings: below those of the page. */
  level?: number;
}

export const Markdown = memo(function Markdown({ text, streaming = false, level = 3 }: MarkdownProps) {
  const [reader] = useState(() => new Blocks());
  const began = performance.now();
  const paced = usePaced(text, streaming, began);
  const shown = reader.read(paced, streaming);
  return (
    <div className="prose" aria-busy={streaming || undefined}>
      {shown.map(({ at, token, open }) => (
        <Block key={at} token={token} open={open} level={level} />
      ))}
    </div>
  );
});

/** While it streams, what costs much is shown less often: reading never takes more than a fifth of the time. */
const SHARE = 5;

function usePaced(text: string, streaming: boolean, began: number): string {
  const [shown, setShown] = useState(text);
  const last = useRef({ shown: "", next: 0 });
  useEffect(() => {
    if (last.current.shown === shown) return;
    const now = performance.now();
    last.current = { shown, next: now + (now - began) * SHARE };
  });
  useEffect(() => {
    if (!streaming || shown === text) return;
    const wait = setTimeout(() => setShown(text), Math.max(0, last.current.next - performance.now()));
    return () => clearTimeout(wait);
  }, [text, streaming, shown]);
  return streaming && goesOn(text, shown) ? shown : text;
}
