/** Says to those who do not see the page what begins, what ends and what waits for them, in words, but not each piece. */
import { useEffect, useRef, useState } from "react";
import { phrase } from "../prose/phrase.js";
import type { Exchange, Transcript } from "../session/shape.js";
import { texts } from "../texts/texts.js";

export function Announcer({ view }: { view: Transcript }) {
  const [said, setSaid] = useState("");
  const before = useRef(view);
  useEffect(() => {
    const words = told(before.current, view);
    before.current = view;
    if (words) setSaid(words);
  }, [view]);
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {said}
    </p>
  );
}

/** What changed between two views, in a sentence; empty: nothing that has to be said. */
export function told(before: Transcript, now: Transcript): string {
  const words = texts.conversation.said;
  const asked = now.asks.find((ask) => !before.asks.some((known) => known.id === ask.id));
  if (asked) {
    const verb = asked.kind === "tool" ? phrase(asked.toolName, asked.detail) : null;
    return words.asks(verb ? `${verb.verb} ${verb.about}`.trim() : asked.question);
  }
  if (now.running && now.running !== before.running) return words.began;
  if (before.running && !now.running) return ended(now, before.running);
  return before.asks.length > now.asks.length ? words.answered : "";
}

function ended(view: Transcript, id: string): string {
  const words = texts.conversation.said;
  const over = view.items.find((item): item is Exchange => item.kind === "exchange" && item.key === id);
  if (!over?.end || over.end.success) return words.done;
  if (over.end.reason === "user_stopped") return words.stopped;
  const error = over.parts.findLast((part) => part.kind === "error");
  return words.failed(error?.message ?? texts.conversation.outcomes[over.end.reason] ?? "");
}
