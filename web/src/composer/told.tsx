/** What the composer has to tell: a prompt that is not sent yet, a session that could not be begun, nobody but the guide. */
import { CloudOff, TriangleAlert } from "lucide-react";
import { Link } from "wouter";
import type { Content } from "../session/store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import type { Run } from "./around.js";
import type { Sender } from "./send.js";

export function Unsent({
  run,
  sender,
  onEdit,
}: {
  run: Run;
  sender: Sender;
  onEdit(content: Content): void;
}) {
  const { composer } = texts;
  const stuck = run.sending.filter(({ problem }) => problem);
  return (
    <div role="status">
      {sender.beginning && <p className="pb-1.5 text-xs text-ink-2">{composer.beginning}</p>}
      {sender.problem && (
        <p className="mb-2 flex gap-2 rounded-panel border border-bad/50 bg-surface px-3 py-2 text-sm text-bad">
          <TriangleAlert size={14} className="mt-0.5 shrink-0" aria-hidden />
          {composer.sessionFailed} {sender.problem}
        </p>
      )}
      {stuck.map(({ messageId, text, problem, later, content }) => (
        <div
          key={messageId}
          className={`mb-2 rounded-panel border bg-surface px-3 py-2 text-sm ${later ? "border-care/50" : "border-bad/50"}`}
        >
          <p className={`flex gap-2 ${later ? "text-care" : "text-bad"}`}>
            <CloudOff size={14} className="mt-0.5 shrink-0" aria-hidden />
            <span className="min-w-0 flex-1">
              {later ? composer.sentLater : composer.notSent} {problem}
            </span>
          </p>
          <p className="truncate pt-1 pl-[22px] text-ink-2">{text.slice(0, 300) || withFiles(content)}</p>
          <div className="flex gap-1.5 pt-1.5 pl-[22px]">
            <Button small onClick={() => run.store?.again(messageId)}>
              {composer.again}
            </Button>
            <Button
              small
              kind="quiet"
              onClick={() => {
                run.store?.forget(messageId);
                onEdit(content ?? text);
              }}
            >
              {composer.putBack}
            </Button>
            <Button small kind="quiet" onClick={() => run.store?.forget(messageId)}>
              {composer.discard}
            </Button>
          </div>
        </div>
      ))}
    </div>
  );
}

/** Of a prompt without words: how much came with it. */
const withFiles = (content: Content | undefined) =>
  Array.isArray(content) ? texts.composer.withFiles(content.length) : "";

/** No model is set up: said quietly, with the way out. */
export function Guide({ model }: { model: string }) {
  const { composer } = texts;
  if (model.split("/")[0] !== "guide") return null;
  return (
    <p className="px-2 pt-1.5 text-xs text-ink-2">
      {composer.guide}{" "}
      <Link href="/settings/keys" className="text-accent underline underline-offset-2">
        {composer.addKey}
      </Link>
    </p>
  );
}
