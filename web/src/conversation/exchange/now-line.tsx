/** What is going on: there from the moment a prompt is sent until its exchange has ended, and never after. */

import { phrase } from "../../prose/phrase.js";
import type { Exchange, RetryPart, ToolPart } from "../../session/shape.js";
import { useSession } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { duration } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Sign } from "../../ui/sign.js";
import { useNow } from "../ticking.js";

export function NowLine({ exchange }: { exchange: Exchange }) {
  const now = useNow(250);
  const gone = useWatch(useSession().workerGone);
  const words = texts.conversation.now;
  const waits = exchange.phase === "waiting";
  const stops = exchange.phase === "stopping";
  const doing = waits || stops ? "" : doingOf(exchange, now);
  const retries = exchange.phase === "retrying";
  return (
    <>
      {gone && <p className="text-sm text-care">{words.workerGone}</p>}
      <Line waits={waits} since={exchange.at} now={now} doing={doing} whole={retries}>
        {waits ? words.waiting : stops ? words.stopping : words.thinking}
      </Line>
    </>
  );
}

interface LineProps {
  children: string;
  doing: string;
  since: number;
  now: number;
  waits?: boolean;
  /** Every word of what it does is shown: why something takes long is not cut. */
  whole?: boolean;
}

export function Line({ children, doing, since, now, waits = false, whole = false }: LineProps) {
  const seconds = Math.max(0, Math.floor((now - since) / 1000));
  return (
    <p
      data-now
      className={`flex min-h-7 min-w-0 gap-2 text-sm text-ink-2 ${whole ? "items-baseline py-1 [&>:first-child]:mt-0.5 [&>:first-child]:self-start" : "items-center"}`}
    >
      <Sign of={waits ? "waiting" : "working"} quiet />
      <span className="shrink-0 font-medium">{children}</span>
      {doing && <span className={`min-w-0 text-ink-3 ${whole ? "break-words" : "truncate"}`}>{doing}</span>}
      {seconds > 0 && (
        <span className="shrink-0 text-xs text-ink-3 tabular-nums" title={texts.conversation.now.elapsed}>
          {duration(seconds * 1000).replace(".0", "")}
        </span>
      )}
    </p>
  );
}

/** What it does beside thinking, in a few words. */
function doingOf(exchange: Exchange, now: number): string {
  const words = texts.conversation.now;
  const retry = exchange.parts.findLast((part): part is RetryPart => part.kind === "retry" && !part.over);
  if (exchange.phase === "retrying" && retry) {
    const left = Math.ceil((retry.at + retry.delayMs - now) / 1000);
    const when = left > 0 ? words.retryIn(left < 120 ? `${left} s` : duration(left * 1000)) : words.retryNow;
    return `${when} (${words.retrying(retry.number, retry.of)}) · ${retry.reason}`;
  }
  const tools = exchange.parts.filter((part): part is ToolPart => part.kind === "tool");
  const running = tools.filter((part) => part.state === "running");
  const [one] = running;
  if (running.length > 1) return words.several(running.length);
  if (one) {
    const { doing, about } = phrase(one.name, one.input ?? {});
    return about ? `${doing} ${about}` : doing;
  }
  const written = tools.find((part) => part.state === "writing");
  if (written) return words.preparing(phrase(written.name, {}).doing);
  return exchange.phase === "responding" ? words.writing : "";
}
