/** All about a call: what it was asked to do, what it printed so far, what it gave back, what it changed. */

import { Code } from "../../prose/code.js";
import { type Given, pathOf, sortOf, text } from "../../prose/phrase.js";
import type { ToolPart } from "../../session/shape.js";
import { texts } from "../../texts/texts.js";
import { CopyButton } from "../copying.js";
import { Media } from "../parts/media.js";
import { Changes } from "./changes.js";
import { ChildBody } from "./child.js";
import { outcomeOf } from "./outcome.js";
import { Output } from "./output.js";
import { Todos } from "./todos.js";
import { Arguments, Value } from "./value.js";
import { Whole } from "./whole.js";

export function Body({ part }: { part: ToolPart }) {
  if (part.child || part.name === "delegate") return <ChildBody part={part} />;
  const words = texts.conversation.tools;
  const ran = part.state !== "denied" && part.startedAt + part.durationMs > 0;
  return (
    <>
      {part.server && <p className="text-xs text-ink-3">{words.provider}</p>}
      {part.ask?.answer === "edit" && <p className="text-xs text-ink-3">{words.changed}</p>}
      <Asked part={part} />
      {sortOf(part.name) === "edit" && <Changes part={part} />}
      {part.output && !part.result && <Output text={part.output} label={words.output} tail />}
      {part.result ? (
        <Result part={part} />
      ) : (
        <p className="text-xs text-ink-3">{STANDS[part.state]?.(ran, part.output) ?? ""}</p>
      )}
    </>
  );
}

/** What to say where there is no result. */
const STANDS: Partial<Record<ToolPart["state"], (ran: boolean, output: string) => string>> = {
  running: (_, output) => (output ? "" : texts.conversation.tools.noneYet),
  interrupted: (ran) => (ran ? texts.conversation.tools.unfinished : texts.conversation.tools.notRun),
};

function Asked({ part }: { part: ToolPart }) {
  const words = texts.conversation.tools;
  if (!part.input) return part.partial ? <Output text={part.partial} label={words.arguments} tail /> : null;
  const { name, input } = part;
  if (name === "todo_write") return <Todos given={input} />;
  if (sortOf(name) === "edit") return null;
  if (sortOf(name) === "command" && text(input, "command")) {
    return (
      <>
        <Code code={text(input, "command")} language="bash" />
        <Arguments given={without(input, "command", "description")} />
      </>
    );
  }
  return <Arguments given={without(input, ...SAID, input.path === "." ? "path" : "")} />;
}

/** What the line of the card says already. */
const SAID = ["file_path", "url", "question", "pattern", "query"];

function without(given: Given, ...names: string[]): Given {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
}

function Result({ part }: { part: ToolPart }) {
  const words = texts.conversation.tools;
  const found = outcomeOf(part.result ?? []);
  const isCommand = found.exitCode !== null || found.timedOut || found.stdout !== "" || found.stderr !== "";
  const quiet = part.name === "todo_write" || (sortOf(part.name) === "edit" && !part.isError);
  const nothing = isCommand && !found.stdout && !found.stderr;
  return (
    <>
      {found.error && <p className="text-sm text-bad">{found.error}</p>}
      {found.stdout && <Output text={found.stdout} label={words.output} tail />}
      {found.stderr && <Output text={found.stderr} label={words.errors} tail />}
      {nothing && <p className="text-xs text-ink-3">{words.none}</p>}
      {!quiet && <Value value={found.value} label={words.result} path={pathOf(part.input ?? {})} />}
      <Media blocks={found.media} />
      {!quiet && (isCommand || copied(part) !== found.error) && (
        <footer className="flex min-h-7 flex-wrap items-center gap-x-3 text-xs text-ink-3">
          {found.timedOut && <span className="text-care">{words.timedOut}</span>}
          {found.exitCode !== null && <span>{words.exit(found.exitCode)}</span>}
          {found.note && <span>{found.note}</span>}
          <span className="ml-auto flex items-center gap-1">
            <Whole blob={part.blob} outputId={found.outputId} />
            {copied(part) && <CopyButton text={() => copied(part)} label={words.copyOutput} />}
          </span>
        </footer>
      )}
      {part.writes.length > 0 && sortOf(part.name) !== "edit" && <Writes part={part} />}
    </>
  );
}

function Writes({ part }: { part: ToolPart }) {
  return (
    <details className="text-xs text-ink-2">
      <summary>{`${texts.conversation.tools.files}: ${part.writes.map((write) => write.path).join(", ")}`}</summary>
      <Changes part={part} />
    </details>
  );
}

function copied(part: ToolPart): string {
  const { stdout, stderr, error, value } = outcomeOf(part.result ?? []);
  const rest = typeof value === "string" ? value : value ? JSON.stringify(value, null, 2) : "";
  return [stdout, stderr, error, stdout || stderr ? "" : rest].filter(Boolean).join("\n");
}
