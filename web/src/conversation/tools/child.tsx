/** A task that was handed to another agent: how it stands, its last words, what it costs; to stop, or to be looked at. */
import { Square, SquareArrowOutUpRight } from "lucide-react";
import type { Row } from "../../api/client.js";
import { Markdown } from "../../prose/markdown.js";
import { isObject, phrase, text } from "../../prose/phrase.js";
import type { Exchange, ToolPart } from "../../session/shape.js";
import { Builder } from "../../session/transcript.js";
import { useAnswer, useStudio } from "../../studio/context.js";
import { money } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Sign } from "../../ui/sign.js";
import { sayProblem } from "../../ui/toasts.js";
import { outcomeOf } from "./outcome.js";

/** Milliseconds between two looks at one that works. */
const LOOK = 1_000;

export function useChild(part: ToolPart) {
  const works = part.state === "running" || part.state === "asking";
  const id = part.child?.sessionId ?? "";
  return useAnswer(
    ["child", id, works],
    async (studio, signal) => {
      const call = { path: { session_id: id }, signal };
      const [{ tail }, usage] = await Promise.all([
        studio.http.get("/api/sessions/{session_id}", call),
        studio.http.get("/api/sessions/{session_id}/usage", call),
      ]);
      const builder = new Builder();
      builder.take(tail.events as Row[]);
      const { items, running } = builder.snapshot();
      const last = items.findLast((item): item is Exchange => item.kind === "exchange");
      return { last: last ? lastWords(last) : "", running, cost: usage.cost };
    },
    { enabled: id !== "", stale: works ? 0 : Number.POSITIVE_INFINITY, ...(works ? { every: LOOK } : {}) },
  );
}

/** The last line that it said or did. */
export function lastWords(exchange: Exchange): string {
  const part = exchange.parts.findLast((each) => each.kind === "text" || each.kind === "tool");
  if (part?.kind === "tool") {
    const { verb, about } = phrase(part.name, part.input ?? {});
    return `${verb} ${about}`.trim();
  }
  const lines = part?.kind === "text" ? part.text.trim().split("\n") : [];
  return lines.at(-1) ?? "";
}

/** What it does just now, whether its card is open or not. */
export function ChildNow({ part }: { part: ToolPart }) {
  const found = useChild(part);
  const works = part.state === "running" || part.state === "asking";
  if (!works || !found.data) return null;
  return (
    <p className="flex items-center gap-2 text-xs text-ink-2" data-child-now>
      <Sign of={part.state === "asking" ? "waiting" : "working"} />
      <span className="min-w-0 truncate">{found.data.last || texts.conversation.now.thinking}</span>
    </p>
  );
}

export function ChildBody({ part }: { part: ToolPart }) {
  const words = texts.conversation.tools.child;
  const studio = useStudio();
  const found = useChild(part);
  const id = part.child?.sessionId ?? "";
  const works = part.state === "running" || part.state === "asking";
  const { value } = part.result ? outcomeOf(part.result) : { value: null };
  const answer = isObject(value) ? text(value, "answer", "final_response", "response") : "";
  const stop = () =>
    studio.http
      .delete("/api/sessions/{session_id}/prompts/{message_id}", {
        path: { session_id: id, message_id: found.data?.running ?? "" },
      })
      .catch(sayProblem);
  return (
    <div className="flex flex-col gap-2">
      <div className="text-sm whitespace-pre-wrap text-ink-2">
        {part.child?.task || text(part.input ?? {}, "task")}
      </div>
      <ChildNow part={part} />
      {answer && <Markdown text={answer} level={4} />}
      {found.isError && <p className="text-xs text-ink-2">{words.gone}</p>}
      {id && (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            small
            icon={<SquareArrowOutUpRight size={12} aria-hidden />}
            onClick={() => void studio.openSession(id)}
          >
            {words.open}
          </Button>
          {works && found.data?.running && (
            <Button small icon={<Square size={12} aria-hidden />} onClick={() => void stop()}>
              {words.stop}
            </Button>
          )}
          {found.data && found.data.cost > 0 && (
            <span className="text-xs text-ink-3" title={words.cost}>
              {money(found.data.cost)}
            </span>
          )}
        </div>
      )}
    </div>
  );
}
