/** What a model says, as it says it: Markdown to elements, block by block. No HTML is ever made of it. */
import { memo, useEffect, useRef, useState } from "react";
import { goesOn } from "./grown.js";
import { Block } from "./markdown/block.js";
import { Blocks, type Block as Read } from "./markdown/blocks.js";
import "./markdown/markdown.css";
import "./prose.css";

interface MarkdownProps {
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
      {grouped(shown).map((group, n) => (
        <Group key={n} blocks={group} level={level} />
      ))}
    </div>
  );
});

/** Blocks that are looked at together: thousands that did not change cost no more than some dozens. */
const GROUP = 64;

function grouped(blocks: Read[]): Read[][] {
  const groups: Read[][] = [];
  for (let at = 0; at < blocks.length; at += GROUP) groups.push(blocks.slice(at, at + GROUP));
  return groups;
}

const Group = memo(
  function Group({ blocks, level }: { blocks: Read[]; level: number }) {
    return blocks.map(({ at, token, open }) => <Block key={at} token={token} open={open} level={level} />);
  },
  (before, after) =>
    before.level === after.level &&
    before.blocks.length === after.blocks.length &&
    before.blocks.every((block, n) => block === after.blocks[n]),
);

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
