/** A quiet bar above the prompt while something waits for the person and they are elsewhere on the page. */
import { useSyncExternalStore } from "react";
import { oneLine, phrase, text } from "../prose/phrase.js";
import { useTranscript } from "../studio/context.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Sign } from "../ui/sign.js";

export function WaitingBar() {
  const { asks } = useTranscript();
  const there = useSyncExternalStore(onFocus, () => document.activeElement?.closest("[data-ask]") !== null);
  const first = asks[0];
  if (!first || there) return null;
  const { verb } = phrase(first.toolName, {});
  const what =
    first.kind === "tool" ? `${verb} ${text(first.detail, "command", "url")}`.trim() : first.question;
  const show = () => {
    const card = document.querySelector<HTMLElement>(`[data-ask="${CSS.escape(first.id)}"]`);
    card?.scrollIntoView({ block: "nearest" });
    card?.focus({ preventScroll: true });
  };
  return (
    <div className="mx-auto w-full max-w-[760px] px-4 pb-2 max-mid:px-2">
      <div
        role="status"
        className="flex min-h-9 min-w-0 items-center gap-2 rounded-panel border border-care bg-surface px-3 text-sm"
      >
        <Sign of="waiting" quiet />
        <span className="shrink-0 font-medium">{texts.conversation.asks.bar(asks.length)}</span>
        <span className="min-w-0 flex-1 truncate text-ink-2">{oneLine(what)}</span>
        <Button small onClick={show} className="-mr-1">
          {texts.conversation.asks.show}
        </Button>
      </div>
    </div>
  );
}

function onFocus(tell: () => void): () => void {
  // Where the focus went is known only after it has left.
  const later = () => queueMicrotask(tell);
  document.addEventListener("focusin", later);
  document.addEventListener("focusout", later);
  return () => {
    document.removeEventListener("focusin", later);
    document.removeEventListener("focusout", later);
  };
}
