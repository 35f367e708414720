/** Many finished calls on one line: "Read 9 files, ran 2 commands · 4.1 s", to be opened. */
import { ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { filesOf, type Sort, sortOf } from "../../prose/phrase.js";
import type { ToolPart } from "../../session/shape.js";
import { duration } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { ToolCard } from "./card.js";

const ORDER: Sort[] = ["read", "search", "edit", "command", "fetch", "other"];

/** What a run of calls did, in a sentence. */
function summary(parts: ToolPart[]): string {
  const words = texts.conversation.tools.run;
  const counts = new Map<Sort, number>();
  for (const part of parts) {
    const sort = sortOf(part.name);
    const n = sort === "read" || sort === "edit" ? filesOf(part.input ?? {}) : 1;
    counts.set(sort, (counts.get(sort) ?? 0) + n);
  }
  const said = ORDER.flatMap((sort) => {
    const n = counts.get(sort);
    return n ? [words[sort](n)] : [];
  });
  const sentence = said.join(", ");
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

export function ToolRun({ parts }: { parts: ToolPart[] }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const failed = parts.filter((part) => part.state === "failed").length;
  const ms = parts.reduce((all, part) => all + part.durationMs, 0);
  return (
    <div className="-mx-1.5">
      <h4 className="contents">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
          className="flex min-h-7 w-full items-center gap-2 rounded-control px-1.5 py-0.5 text-left text-sm hover:bg-sunken focus-visible:bg-sunken max-mid:min-h-11"
        >
          <ChevronRight size={14} aria-hidden className={`shrink-0 text-ink-3 ${open ? "rotate-90" : ""}`} />
          <span className="min-w-0 flex-1 truncate text-ink-2">{summary(parts)}</span>
          {failed > 0 && (
            <span className="shrink-0 text-xs text-bad">{texts.conversation.tools.run.failed(failed)}</span>
          )}
          <span className="shrink-0 text-xs text-ink-3">{duration(ms)}</span>
        </button>
      </h4>
      {open && (
        <div id={id} className="mr-1.5 ml-[18px]">
          {parts.map((part) => (
            <ToolCard key={part.key} part={part} />
          ))}
        </div>
      )}
    </div>
  );
}
