/** Deleting what was said cannot be undone: it is asked first. */
import { useState } from "react";
import type { SessionStore } from "../../session/store.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { say, sayProblem } from "../../ui/toasts.js";

export function ClearDialog({ store, onClose }: { store: SessionStore; onClose(): void }) {
  const { composer } = texts;
  const [busy, setBusy] = useState(false);
  const clear = async () => {
    setBusy(true);
    try {
      await store.client.http.post("/api/sessions/{session_id}/clear", {
        path: { session_id: store.sessionId },
      });
      say(composer.done.cleared);
    } catch (error) {
      sayProblem(error);
    }
    onClose();
  };
  return (
    <Dialog open title={composer.clearTitle} about={composer.clearAbout} onClose={onClose}>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button kind="danger" busy={busy} onClick={() => void clear()}>
          {composer.clearDo}
        </Button>
      </div>
    </Dialog>
  );
}
