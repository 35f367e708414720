/** Deleting a session is for good, and says so; what runs in it is stopped first, if the person wants that. */
import { useState } from "react";
import { Problem } from "../../api/http.js";
import { useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { ProblemBox } from "../../ui/problem.js";
import { say } from "../../ui/toasts.js";
import { type SessionRow, useTidying } from "./sessions.js";

export function DeleteSession({ row, onClose }: { row: SessionRow; onClose(): void }) {
  const studio = useStudio();
  const { remove } = useTidying();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const { rooms } = texts;
  const title = row.title || rooms.untitled;
  const runs = problem?.status === 409;
  const act = async () => {
    setBusy(true);
    try {
      if (runs) await stopAll(studio.http, row.id);
      await remove(row.id);
      say(rooms.deleted(title));
      onClose();
    } catch (error) {
      setProblem(error instanceof Problem ? error : new Problem(0, "", String(error)));
      setBusy(false);
    }
  };
  return (
    <Dialog title={rooms.deleteIt} about={title} open onClose={onClose}>
      <div className="flex flex-col gap-3 text-sm">
        <p>{rooms.deleteWhat}</p>
        {problem && <ProblemBox title={runs ? rooms.deleteRuns : problem.detail} detail={problem.hint} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.ui.cancel}</Button>
          <Button kind="danger" busy={busy} onClick={() => void act()}>
            {runs ? rooms.stopAndDelete : rooms.delete}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

/** Cancel all that runs or waits there, and return once nothing does. */
async function stopAll(http: ReturnType<typeof useStudio>["http"], id: string): Promise<void> {
  const path = { session_id: id };
  const { prompts } = await http.get("/api/sessions/{session_id}/prompts", { path });
  await Promise.all(
    prompts.map(({ message_id }) =>
      // One that has ended meanwhile needs no stop; whether all have is looked at below.
      http
        .delete("/api/sessions/{session_id}/prompts/{message_id}", { path: { ...path, message_id } })
        .catch(() => {}),
    ),
  );
  for (let tries = 0; tries < 40; tries++) {
    const { prompts: left } = await http.get("/api/sessions/{session_id}/prompts", { path });
    if (!left.length) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
