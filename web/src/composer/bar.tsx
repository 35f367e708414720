/** Below the box: who answers and how freely, the meters, and what can be done with what is written. */
import { ArrowUp, Ellipsis, Paperclip, Square } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { IconButton } from "../ui/icon-button.js";
import { Popover } from "../ui/popover.js";
import { Tip } from "../ui/tip.js";
import type { Choices, Run } from "./around.js";
import { AgentPicker } from "./choose/agent-picker.js";
import { ModeSwitch } from "./choose/mode-switch.js";
import { ModelPicker } from "./choose/model-picker.js";
import { PlacePicker } from "./choose/place-picker.js";
import type { Picker } from "./desk.js";

interface Props {
  run: Run;
  choices: Choices;
  /** There is something to send. */
  full: boolean;
  beginning: boolean;
  narrow: boolean;
  meters?: ReactNode;
  picker: Picker;
  onPicker(picker: Picker): void;
  onFocus(): void;
  onFiles(files: File[]): void;
  onSend(steer: boolean): void;
  onStop(): void;
}

export function Bar(props: Props) {
  const { choices, narrow, meters } = props;
  return (
    <div className="flex items-center gap-1 px-1.5 pb-1.5">
      <div className="flex min-w-0 flex-1 items-center gap-0.5">
        <ModeSwitch choices={choices} />
        {narrow ? <More {...props} /> : <Pickers {...props} />}
      </div>
      {/* A phone has no room for them beside what can be done with a prompt. */}
      {!(narrow && props.full) && meters}
      <AttachButton onFiles={props.onFiles} />
      <Actions {...props} />
    </div>
  );
}

function Pickers({ run, choices, picker, onPicker, onFocus }: Props) {
  const opened = (name: Picker) => ({
    open: picker === name,
    onOpen: (open: boolean) => onPicker(open ? name : ""),
    onChosen: onFocus,
  });
  return (
    <>
      <AgentPicker choices={choices} {...opened("agent")} />
      <ModelPicker choices={choices} {...opened("model")} />
      {!run.store && <PlacePicker {...opened("place")} />}
    </>
  );
}

/** On a narrow page they stand behind one button. */
function More(props: Props) {
  const { composer } = texts;
  const { picker, onPicker } = props;
  return (
    <Popover
      align="start"
      label={composer.more}
      open={picker !== ""}
      onOpen={(open) => onPicker(open ? "more" : "")}
      button={
        <IconButton label={composer.more}>
          <Ellipsis size={16} aria-hidden />
        </IconButton>
      }
    >
      <div className="flex flex-col items-start">
        <Pickers
          {...props}
          onPicker={(next) => onPicker(next || "more")}
          // A keyboard would come up over what was just chosen.
          onFocus={() => onPicker("")}
        />
      </div>
    </Popover>
  );
}

function AttachButton({ onFiles }: Pick<Props, "onFiles">) {
  const { composer } = texts;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton label={composer.attach} onClick={() => input.current?.click()}>
        <Paperclip size={16} aria-hidden />
      </IconButton>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={composer.attach}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}

function Actions({ run, full, beginning, narrow, onSend, onStop }: Props) {
  const { composer } = texts;
  const words = full && !narrow;
  return (
    <>
      {run.running && (
        <Button
          icon={<Square size={12} fill="currentColor" aria-hidden />}
          disabled={run.stopping}
          onClick={onStop}
          {...(full ? { "aria-label": composer.stop } : { keys: "Escape" })}
          aria-keyshortcuts="Escape"
        >
          {!full && (run.stopping ? composer.stopping : composer.stop)}
        </Button>
      )}
      {run.running && full && (
        <Tip text={composer.steerHint} keys="Mod+Enter">
          <Button kind="quiet" aria-keyshortcuts="Control+Enter Meta+Enter" onClick={() => onSend(true)}>
            {composer.steer}
          </Button>
        </Tip>
      )}
      {(full || !run.running) && (
        <Tip text={run.busy ? composer.queueHint : composer.send} keys="Enter">
          <Button
            kind="main"
            aria-keyshortcuts="Enter"
            {...(run.busy && words ? {} : { "aria-label": run.busy ? composer.queue : composer.send })}
            disabled={!full}
            busy={beginning}
            className={run.busy && words ? "" : "w-8 px-0! max-mid:w-11"}
            onClick={() => onSend(false)}
          >
            {run.busy && words ? composer.queue : <ArrowUp size={16} aria-hidden />}
          </Button>
        </Tip>
      )}
    </>
  );
}
