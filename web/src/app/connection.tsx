/** The connection, said honestly and only when it is not as it should be. */
import { CloudOff, LoaderCircle } from "lucide-react";
import { useStudio } from "../studio/context.js";
import { useWatch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";

export function Connection() {
  const studio = useStudio();
  const state = useWatch(studio.connection);
  const stopping = useWatch(studio.stopping);
  const ready = useWatch(studio.ready);
  const said =
    state === "closed"
      ? `${texts.app.closed} ${texts.app.closedHint}`
      : stopping
        ? texts.app.stopping
        : state === "lost"
          ? texts.app.gone
          : state === "connecting" && ready
            ? texts.app.catchingUp
            : "";
  return (
    <div role="status" aria-live="polite">
      {said && (
        <p className="flex items-center justify-center gap-2 border-b border-care/50 bg-surface px-3 py-1.5 text-sm text-care">
          {state === "connecting" ? (
            <LoaderCircle size={14} className="shrink-0 motion-safe:animate-spin" aria-hidden />
          ) : (
            <CloudOff size={14} className="shrink-0" aria-hidden />
          )}
          {said}
        </p>
      )}
    </div>
  );
}
