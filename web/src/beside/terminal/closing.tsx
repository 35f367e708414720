/** Asks before a shell is closed that something may run in. */
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import type { Shell } from "./shells.js";

interface Props {
  closing: { shell: Shell; name: string } | null;
  onCancel(): void;
  onClose(shell: Shell): void;
}

export function Closing({ closing, onCancel, onClose }: Props) {
  const { terminal } = texts.beside;
  if (!closing) return null;
  return (
    <Dialog
      title={terminal.closeTitle(closing.name)}
      about={closing.shell.session_id ? terminal.closeAgents : terminal.closeHint}
      open
      onClose={onCancel}
    >
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{texts.ui.cancel}</Button>
        <Button kind="danger" onClick={() => onClose(closing.shell)}>
          {terminal.end}
        </Button>
      </div>
    </Dialog>
  );
}
