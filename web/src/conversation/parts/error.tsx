/** Something went wrong: what happened, what to do about it, and one button for the likely fix. */
import { TriangleAlert } from "lucide-react";
import type { ErrorPart, Exchange } from "../../session/shape.js";
import { Button } from "../../ui/button.js";
import { useFix } from "./fixes.js";

export function ErrorBox({ part, exchange, last }: { part: ErrorPart; exchange: Exchange; last: boolean }) {
  const fix = useFix(exchange, part.code);
  return (
    <div className="my-1 flex flex-col gap-2 rounded-panel border border-bad/50 bg-surface p-3 text-sm">
      <p className="flex items-start gap-2 font-medium text-bad">
        <TriangleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
        <span className="min-w-0 break-words">{part.message}</span>
      </p>
      {part.hint && <p className="break-words text-ink-2">{part.hint}</p>}
      {fix && last && (
        <div className="flex items-center gap-3">
          <Button onClick={fix.run}>{fix.label}</Button>
          {part.code && <code className="font-mono text-xs text-ink-3">{part.code}</code>}
        </div>
      )}
    </div>
  );
}
