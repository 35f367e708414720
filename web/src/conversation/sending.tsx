/** Prompts that are on their way: there at once, with what becomes of them. */
import { CloudOff } from "lucide-react";
import type { Queued, Sending } from "../session/shape.js";
import { texts } from "../texts/texts.js";
import { Line } from "./exchange/now-line.js";
import { Words } from "./parts/said.js";
import { useNow } from "./ticking.js";

export function SendingView({ sending }: { sending: Sending }) {
  const words = texts.conversation;
  const now = useNow(250, !sending.problem);
  return (
    <article data-item={sending.messageId} className="flex flex-col gap-4 pt-6 pb-2">
      <section className="border-l-2 border-accent pl-3">
        <h3 className="flex min-h-7 items-center text-sm font-semibold">{words.you}</h3>
        <p className="break-words whitespace-pre-wrap">{sending.text.slice(0, 6_000)}</p>
      </section>
      {sending.problem ? (
        // Why, and what can be done about it, is told at the composer, which is always in sight.
        <p className="flex items-center gap-2 text-sm text-ink-2">
          <CloudOff size={14} className="shrink-0" aria-hidden />
          {words.notSent}
        </p>
      ) : (
        <Line doing={words.now.sending} since={sending.at} now={now}>
          {words.now.thinking}
        </Line>
      )}
    </article>
  );
}

/** The next prompt, for the moment until it is taken up. */
export function QueuedView({ queued }: { queued: Queued }) {
  const words = texts.conversation;
  const now = useNow(250);
  return (
    <article data-item={queued.messageId} className="flex flex-col gap-4 pt-6 pb-2">
      <section className="border-l-2 border-accent pl-3">
        <h3 className="flex min-h-7 items-center text-sm font-semibold">{words.you}</h3>
        <Words blocks={queued.content} />
      </section>
      <Line doing={words.now.queued} since={queued.at} now={now}>
        {words.now.thinking}
      </Line>
    </article>
  );
}
