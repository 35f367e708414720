/** Copies a text, and says that it did. */
import { Copy } from "lucide-react";
import { copied } from "../prose/copy.js";
import { texts } from "../texts/texts.js";
import { IconButton } from "../ui/icon-button.js";
import { say } from "../ui/toasts.js";

export async function copy(text: string, said: string = texts.conversation.copied): Promise<void> {
  if (await copied(text)) say(said);
  else say(texts.conversation.copyFailed, { bad: true });
}

export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  return (
    <IconButton label={label} onClick={() => void copy(typeof text === "string" ? text : text())}>
      <Copy size={14} aria-hidden />
    </IconButton>
  );
}
