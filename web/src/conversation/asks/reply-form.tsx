/** A field in an ask's card: words to the agent, arguments, a plan. Esc goes back, Mod+Enter or Enter sends. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { texts } from "../../texts/texts.js";
import { Button, type Kind } from "../../ui/button.js";
import { TextField } from "../../ui/field.js";

interface Props {
  label: string;
  about?: string;
  start?: string;
  /** Enter sends; else only with Mod, and Enter begins a new line. */
  short?: boolean;
  mono?: boolean;
  send: string;
  kind?: Kind;
  busy: boolean;
  /** It does not ask for the focus; "first": it has it when the card has. */
  quiet?: boolean | "first";
  /** Another way to send it, beside the first. */
  also?: { label: string; about: string; onSend(text: string): void };
  /** Other buttons beside. */
  more?: ReactNode;
  /** What is wrong with it; empty: nothing. */
  check?(text: string): string;
  onSend(text: string): void;
  onBack?(): void;
}

export function ReplyForm(props: Props) {
  const { label, about, start = "", short, mono, send, kind = "main", busy } = props;
  const { quiet, also, more, check, onSend, onBack } = props;
  const [text, setText] = useState(start);
  const [problem, setProblem] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (!quiet) field.current?.focus();
  }, [quiet]);
  const submit = (send = onSend) => {
    const wrong = check?.(text) ?? "";
    setProblem(wrong);
    if (!wrong) send(text);
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape" && onBack) {
      event.preventDefault();
      onBack();
    }
    if (event.key !== "Enter" || (short ? event.shiftKey : !(event.metaKey || event.ctrlKey))) return;
    event.preventDefault();
    submit();
  };
  return (
    <div className="flex flex-col gap-2">
      <TextField
        ref={field}
        data-first={quiet === "first" || undefined}
        label={label}
        {...(about ? { about } : {})}
        {...(problem ? { problem } : {})}
        rows={Math.min(16, Math.max(short ? 1 : 3, text.split("\n").length))}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
        className={mono ? "font-mono text-sm" : ""}
      />
      <div className="flex flex-wrap gap-2">
        <Button kind={kind} busy={busy} onClick={() => submit()}>
          {send}
        </Button>
        {also && (
          <Button title={also.about} disabled={busy} onClick={() => submit(also.onSend)}>
            {also.label}
          </Button>
        )}
        {onBack && (
          <Button kind="quiet" onClick={onBack}>
            {texts.conversation.asks.back}
          </Button>
        )}
        {more}
      </div>
    </div>
  );
}
