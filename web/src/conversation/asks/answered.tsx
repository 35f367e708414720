/** How an ask was answered, on one line: what, by whom, with what word. */
import { Check, CircleSlash } from "lucide-react";
import type { Ask } from "../../session/shape.js";
import { texts } from "../../texts/texts.js";
import { useMyId } from "./answering.js";

const AGAINST = new Set(["deny", "stop", "discard", "closed"]);

export function AnsweredLine({ ask }: { ask: Ask }) {
  const me = useMyId();
  const Icon = AGAINST.has(ask.answer ?? "") ? CircleSlash : Check;
  return (
    <p className="flex items-start gap-1.5 py-0.5 text-xs text-ink-2">
      <Icon size={12} className="mt-[3px] shrink-0 text-ink-3" aria-hidden />
      <span className="min-w-0 break-words">
        {said(ask, me)}
        {ask.grant && <code className="ml-1.5 font-mono text-ink-3">{ask.grant}</code>}
        {ask.note && !isCovered(ask) && <span className="whitespace-pre-wrap">{`: ${ask.note}`}</span>}
      </span>
    </p>
  );
}

/** The worker answers by itself what something else that was allowed covers. */
const isCovered = (ask: Ask) => ask.answer === "allow_once" && !ask.person && ask.note !== "";

function said(ask: Ask, me: string): string {
  const words = texts.conversation.asks;
  if (isCovered(ask)) return words.covered;
  const answer = words.answers[ask.answer ?? ""] ?? ask.answer ?? "";
  if (ask.answer === "closed" || !ask.person) return answer;
  if (!me) return answer;
  return ask.person === me ? words.byYou(answer) : words.byOther(answer);
}
