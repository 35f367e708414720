/** How an exchange ended: the time, what it used and cost, and a word where it did not end well. */
import { CircleSlash, GitFork, Link, TriangleAlert } from "lucide-react";
import type { End, Exchange } from "../../session/shape.js";
import { useSession } from "../../studio/context.js";
import { duration, moment, money, number, short, time } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { IconButton } from "../../ui/icon-button.js";
import { CopyButton } from "../copying.js";
import { useFix } from "../parts/fixes.js";
import { useCopyLink } from "../place/links.js";
import { useForking } from "./forking.js";

export function EndLine({ exchange, end }: { exchange: Exchange; end: End }) {
  const words = texts.conversation;
  const { sessionId } = useSession();
  const { fork } = useForking();
  const link = useCopyLink(sessionId);
  return (
    <>
      <Outcome exchange={exchange} end={end} />
      <footer className="group flex min-h-7 flex-wrap items-center gap-x-2 text-xs text-ink-3">
        <span title={exactly(end)} className="flex flex-wrap gap-x-2">
          <time dateTime={new Date(end.at).toISOString()}>{time(end.at)}</time>
          <span>{duration(end.durationMs)}</span>
          <span>
            {words.end.tokens(short((end.usage.input_tokens ?? 0) + (end.usage.output_tokens ?? 0)))}
          </span>
          <span>{end.cost === null ? words.end.noPrice : money(end.cost)}</span>
        </span>
        <span
          role="toolbar"
          aria-label={words.actions}
          className="flex opacity-0 max-mid:-mr-[15px] max-mid:ml-auto group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:opacity-100"
        >
          <CopyButton text={() => answerOf(exchange)} label={words.copyAnswer} />
          <IconButton label={words.copyLink} onClick={() => link(exchange.key)}>
            <Link size={14} aria-hidden />
          </IconButton>
          <IconButton label={words.fork} onClick={() => void fork(end.index)}>
            <GitFork size={14} aria-hidden />
          </IconButton>
        </span>
      </footer>
    </>
  );
}

/** A word about what did not end well; an error says it itself, and offers its own way out. */
function Outcome({ exchange, end }: { exchange: Exchange; end: End }) {
  const fix = useFix(exchange);
  const told = exchange.parts.some((part) => part.kind === "error");
  if (end.success || (told && end.reason === "error")) return null;
  const Icon = end.reason === "user_stopped" ? CircleSlash : TriangleAlert;
  return (
    <p className="flex flex-wrap items-center gap-2 py-0.5 text-sm text-ink-2">
      <Icon size={14} className={end.reason === "user_stopped" ? "text-ink-3" : "text-care"} aria-hidden />
      <span>{texts.conversation.outcomes[end.reason] ?? texts.conversation.outcomes.error}</span>
      {fix && !told && (
        <Button small onClick={fix.run}>
          {fix.label}
        </Button>
      )}
    </p>
  );
}

function exactly(end: End): string {
  const { usage } = end;
  const words = texts.conversation.end;
  return [
    words.exact(moment(end.at), `${number(end.durationMs)} ms`),
    words.calls(end.iterations),
    words.usage(
      number(usage.input_tokens ?? 0),
      number(usage.cached_tokens ?? 0),
      number(usage.output_tokens ?? 0),
    ),
    end.cost === null ? words.noPrice : `$${(end.cost / 1_000_000).toFixed(6)}`,
  ].join("\n");
}

/** The agent's words, without what it did. */
function answerOf(exchange: Exchange): string {
  return exchange.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n");
}
