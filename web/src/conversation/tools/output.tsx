/** What was printed, under a name. Of a command the last lines are shown first, as they say how it ended. */
import { Ansi } from "../../prose/ansi.js";

interface Props {
  text: string;
  label: string;
  /** Show the last lines instead of the first. */
  tail?: boolean;
}

export function Output({ text, label, tail = false }: Props) {
  return (
    <figure aria-label={label}>
      <Ansi text={text.endsWith("\n") ? text.slice(0, -1) : text} live={tail} />
    </figure>
  );
}
