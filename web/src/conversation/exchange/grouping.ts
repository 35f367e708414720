/** Parts as they are shown: runs of more than six finished calls become one line. */
import type { Part, ToolPart } from "../../session/shape.js";

const MOST = 6;

type Shown = { kind: "one"; part: Part } | { kind: "run"; key: string; parts: ToolPart[] };

export function grouped(parts: Part[]): Shown[] {
  const shown: Shown[] = [];
  let run: ToolPart[] = [];
  const close = () => {
    const first = run[0];
    if (first && run.length > MOST) shown.push({ kind: "run", key: first.key, parts: run });
    else for (const part of run) shown.push({ kind: "one", part });
    run = [];
  };
  for (const part of parts) {
    if (part.kind === "tool" && isQuiet(part)) run.push(part);
    else {
      close();
      shown.push({ kind: "one", part });
    }
  }
  close();
  return shown;
}

/** Over, with nothing that somebody should see by itself. */
function isQuiet(part: ToolPart): boolean {
  return (
    (part.state === "done" || part.state === "failed") &&
    !part.child &&
    part.name !== "todo_write" &&
    !(part.ask && (part.ask.kind !== "tool" || part.ask.note))
  );
}
