/** "Compact now": its progress, what came of it, and the way back. */

import { Archive } from "lucide-react";
import { useState } from "react";
import { reason } from "../../api/http.js";
import type { Compaction } from "../../session/shape.js";
import { useSession, useStudio, useTranscript } from "../../studio/context.js";
import { short } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";

type State = { busy: boolean; said: string; bad: boolean };
const QUIET: State = { busy: false, said: "", bad: false };

export function Compacting() {
  const { http } = useStudio();
  const { sessionId } = useSession();
  const { items } = useTranscript();
  const [state, setState] = useState(QUIET);
  const { meters } = texts.beside;
  const path = { session_id: sessionId };
  const last = items.findLast((item): item is Compaction => item.kind === "compaction" && !item.undone);

  const run = async (act: () => Promise<string>, said: string) => {
    setState({ busy: true, said, bad: false });
    try {
      setState({ ...QUIET, said: await act() });
    } catch (error) {
      setState({ busy: false, said: reason(error), bad: true });
    }
  };
  const compact = () =>
    run(async () => {
      const { changed } = await http.post("/api/sessions/{session_id}/compact", { path });
      return changed === null ? meters.later : changed ? "" : meters.nothing;
    }, meters.compacting);
  const undo = () =>
    run(async () => {
      await http.post("/api/sessions/{session_id}/undo-compaction", {
        path,
        body: { compaction: last?.index ?? 0 },
      });
      return meters.undone;
    }, "");
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-3">
      <p className="text-xs text-ink-2">{meters.compactHint}</p>
      <div className="flex items-center gap-2">
        <Button
          small
          busy={state.busy}
          icon={<Archive size={13} aria-hidden />}
          onClick={() => void compact()}
        >
          {meters.compact}
        </Button>
        <p role="status" className={`min-w-0 text-xs ${state.bad ? "text-bad" : "text-ink-2"}`}>
          {state.said}
        </p>
      </div>
      {last && (
        <div className="flex items-center gap-2 text-xs">
          <p className="min-w-0 flex-1">{meters.compacted(short(last.before), short(last.after))}</p>
          <Button small kind="quiet" disabled={state.busy} onClick={() => void undo()}>
            {meters.undo}
          </Button>
        </div>
      )}
    </div>
  );
}
