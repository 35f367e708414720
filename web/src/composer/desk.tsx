/** The composer of one session, or of the one to come. */
import { ArrowUp, Square } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useRef } from "react";
import { useCommand } from "../studio/commands.js";
import { bytes } from "../texts/figures.js";
import { texts } from "../texts/texts.js";
import { IconButton } from "../ui/icon-button.js";
import { say, sayProblem } from "../ui/toasts.js";
import { useChoices, useRun } from "./around.js";
import { Box } from "./box.js";
import { ModeSwitch, nextMode } from "./choose/mode-switch.js";
import { useDraft } from "./draft.js";
import { contentOf, MOST, NOTHING, sizeOf } from "./piece.js";
import { useSender } from "./send.js";

export function Desk({ name, meters }: { name: string; meters?: ReactNode }) {
  const { composer } = texts;
  const run = useRun();
  const choices = useChoices();
  const sender = useSender();
  const [draft, change] = useDraft(name);
  const box = useRef<HTMLTextAreaElement>(null);

  const send = async (steer: boolean) => {
    const content = contentOf(draft);
    if (content === null || sender.beginning) return;
    const size = sizeOf(content);
    if (size > MOST) return say(composer.overLimit(bytes(size)), { bad: true });
    if (await sender.send(content, steer && run.busy)) change(() => NOTHING);
  };
  const stop = () => void run.store?.cancel().catch(sayProblem);
  useCommand(
    run.running
      ? { id: "stop", title: composer.stopTitle, group: "session", keys: "Escape", always: true, run: stop }
      : null,
  );
  const keyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      void send(event.metaKey || event.ctrlKey);
    } else if (event.key === "Tab" && event.shiftKey) {
      event.preventDefault();
      void choices.change({ mode: nextMode(choices.mode) });
    }
  };
  return (
    <div className="rounded-panel border border-edge bg-surface focus-within:border-accent">
      <Box
        ref={box}
        value={draft.text}
        onChange={(event) => change((was) => ({ ...was, text: event.target.value }))}
        onKeyDown={keyDown}
        readOnly={sender.beginning}
        placeholder={composer.placeholder}
      />
      <div className="flex items-center gap-1 px-1.5 pb-1.5">
        <ModeSwitch choices={choices} />
        <div className="flex-1" />
        {meters}
        {run.running && (
          <IconButton label={composer.stop} keys="Escape" onClick={stop}>
            <Square size={14} aria-hidden />
          </IconButton>
        )}
        <IconButton
          label={run.busy ? composer.queue : composer.send}
          keys="Enter"
          onClick={() => void send(false)}
        >
          <ArrowUp size={16} aria-hidden />
        </IconButton>
      </div>
    </div>
  );
}
