/** One call: a line that says what it does and how it stands, and all about it when it is opened. Filled in place. */
import { ChevronRight } from "lucide-react";
import { memo, useId, useState } from "react";
import { phrase, sortOf } from "../../prose/phrase.js";
import type { ToolPart } from "../../session/shape.js";
import { duration, money } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { AnsweredLine } from "../asks/answered.js";
import { AskCard } from "../asks/ask.js";
import { useNow } from "../ticking.js";
import { Body } from "./body.js";
import { ChildNow, useChild } from "./child.js";
import { Cut } from "./cut.js";
import { ToolIcon } from "./icon.js";
import { changesOf, outcomeOf } from "./outcome.js";
import { State } from "./state.js";

export const ToolCard = memo(function ToolCard({ part }: { part: ToolPart }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const { verb, about, path } = phrase(part.name, part.input ?? partly(part.partial));
  const waits = part.ask !== null && part.ask.answer === null;
  return (
    <div className="-mx-1.5 rounded-control" data-tool={part.name}>
      <h4 className="contents">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
          className="group flex min-h-7 w-full items-center gap-2 rounded-control px-1.5 py-0.5 text-left text-sm hover:bg-sunken focus-visible:bg-sunken max-mid:min-h-11"
        >
          <ChevronRight
            size={14}
            aria-hidden
            className={`shrink-0 text-ink-3 motion-safe:transition-transform ${open ? "rotate-90" : ""}`}
          />
          <ToolIcon name={part.name} />
          <span className="shrink-0 font-medium">{verb}</span>
          <span className="flex min-w-0 flex-1 text-ink-2">
            <Cut text={about} path={path} mono={sortOf(part.name) !== "other"} />
          </span>
          <Counts part={part} />
          <Exit part={part} />
          <ChildCost part={part} />
          <Time part={part} />
          <State of={part.state} ended={endedBadly(part)} />
        </button>
      </h4>
      {open && (
        <div id={id} className="mt-1 mr-1.5 mb-2 ml-[13px] flex flex-col gap-2 border-l border-line pl-4">
          <Body part={part} />
          {part.ask && !waits && <AnsweredLine ask={part.ask} />}
        </div>
      )}
      {!open && part.child && (
        <div className="mr-1.5 mb-1 ml-[43px]">
          <ChildNow part={part} />
        </div>
      )}
      {!open && part.ask && !waits && <Answered part={part} />}
      {waits && part.ask && (
        <div className="mx-1.5">
          <AskCard ask={part.ask} />
        </div>
      )}
    </div>
  );
});

/** What is known of arguments that are still written: the first text of them. */
function partly(json: string): Record<string, unknown> {
  const found = /^\s*\{\s*"(\w+)"\s*:\s*"((?:[^"\\]|\\.)*)/.exec(json);
  return found?.[1] ? { [found[1]]: found[2]?.replace(/\\n/g, "\n").replace(/\\(["\\/])/g, "$1") } : {};
}

/** A closed card says who decided only where it matters: a word was said, or more was allowed than this. */
function Answered({ part: { ask, state } }: { part: ToolPart }) {
  if (
    !ask ||
    !(ask.note || ask.grant || ask.kind !== "tool" || state === "denied" || ask.answer === "allow_once")
  )
    return null;
  return (
    <div className="ml-[43px]">
      <AnsweredLine ask={ask} />
    </div>
  );
}

function Counts({ part }: { part: ToolPart }) {
  const found = sortOf(part.name) === "edit" ? changesOf(part) : null;
  if (!found || part.state === "denied") return null;
  return (
    <span className="shrink-0 font-mono text-xs">
      <span className="sr-only">{texts.conversation.tools.counts(found.added, found.removed)}</span>
      <span aria-hidden className="text-good">{`+${found.added}`}</span>{" "}
      <span aria-hidden className="text-bad">{`−${found.removed}`}</span>
    </span>
  );
}

/** A command that ran to its end, and whose end is no good one: the tool did what it was asked, but nothing to be ticked. */
function endedBadly(part: ToolPart): boolean {
  if (sortOf(part.name) !== "command" || !part.result) return false;
  const { exitCode, timedOut } = outcomeOf(part.result);
  return timedOut || Boolean(exitCode);
}

function Exit({ part }: { part: ToolPart }) {
  if (!endedBadly(part) || !part.result) return null;
  const { exitCode, timedOut } = outcomeOf(part.result);
  const words = texts.conversation.tools;
  if (timedOut) return <span className="shrink-0 text-xs text-care">{words.timedOut}</span>;
  return exitCode ? <span className="shrink-0 text-xs text-care">{words.exit(exitCode)}</span> : null;
}

function ChildCost({ part }: { part: ToolPart }) {
  return part.child ? <Cost part={part} /> : null;
}

function Cost({ part }: { part: ToolPart }) {
  const cost = useChild(part).data?.cost ?? 0;
  return cost ? <span className="shrink-0 text-xs text-ink-3">{money(cost)}</span> : null;
}

function Time({ part }: { part: ToolPart }) {
  const runs = part.state === "running" && part.startedAt > 0;
  const now = useNow(1_000, runs);
  const ms = runs ? now - part.startedAt : part.durationMs;
  if (ms < (runs ? 1_000 : 50)) return null;
  return (
    <span className="shrink-0 text-xs text-ink-3 tabular-nums" title={runs ? undefined : `${ms} ms`}>
      {runs ? duration(Math.floor(ms / 1000) * 1000).replace(".0", "") : duration(ms)}
    </span>
  );
}
