/** Words that were said, to be said otherwise: sending them opens a fork and asks there. */
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import type { Exchange } from "../../session/shape.js";
import { enterMeans } from "../../studio/enter.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { TextField } from "../../ui/field.js";
import { contentOf, useForking, wordsOf } from "./forking.js";

export function Editor({ exchange, onClose }: { exchange: Exchange; onClose(): void }) {
  const words = texts.conversation.editing;
  const { resend } = useForking();
  const [text, setText] = useState(() => wordsOf(exchange.prompt));
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const content = contentOf(exchange.prompt, text);
  const media = typeof content === "string" ? 0 : content.length - 1;
  const send = async () => {
    if (!text.trim()) return;
    setBusy(true);
    const sent = await resend(exchange.before, content);
    setBusy(false);
    if (sent) onClose();
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") onClose();
    else if (enterMeans(event)) void send();
    else return;
    event.preventDefault();
  };
  return (
    <div className="flex flex-col gap-2 py-1 pr-1">
      <TextField
        ref={field}
        label={words.label}
        bare
        about={media ? `${words.about} ${words.images(media)}.` : words.about}
        rows={Math.min(12, text.split("\n").length + 1)}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
      />
      <div className="flex gap-2">
        <Button kind="main" busy={busy} disabled={!text.trim()} onClick={() => void send()}>
          {words.send}
        </Button>
        <Button kind="quiet" onClick={onClose}>
          {texts.ui.cancel}
        </Button>
      </div>
    </div>
  );
}
