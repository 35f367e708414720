/** Lists, and lists of tasks. A task's state is a word for those who can't see its box. */
import { Square, SquareCheck } from "lucide-react";
import type { Tokens } from "marked";
import { texts } from "../../texts/texts.js";
import { blocks } from "./block.js";

interface Props {
  token: Tokens.List;
  open: boolean;
  level: number;
  depth: number;
}

export function List({ token, open, level, depth }: Props) {
  const items = token.items.map((item, n) => (
    <Item key={n} item={item} open={open && n === token.items.length - 1} level={level} depth={depth} />
  ));
  const start = Number(token.start);
  return token.ordered ? <ol start={Number.isSafeInteger(start) ? start : 1}>{items}</ol> : <ul>{items}</ul>;
}

interface ItemProps extends Omit<Props, "token"> {
  item: Tokens.ListItem;
}

function Item({ item, open, level, depth }: ItemProps) {
  const inner = blocks(item.tokens, open, level, depth + 1);
  if (!item.task) return <li>{inner}</li>;
  const Box = item.checked ? SquareCheck : Square;
  return (
    <li className="prose-task">
      <Box size={14} aria-hidden className={item.checked ? "text-good" : "text-ink-3"} />
      <span className="sr-only">{item.checked ? texts.prose.done : texts.prose.open}: </span>
      <div>{inner}</div>
    </li>
  );
}
