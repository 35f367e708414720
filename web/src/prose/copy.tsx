/** Puts a text on the clipboard and says that it did. Where the page may not (plain http), the old way is taken. */
import { Check, Copy, X } from "lucide-react";
import { useEffect, useState } from "react";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";

type State = "idle" | "done" | "failed";
const SIGNS = { idle: Copy, done: Check, failed: X };
const LASTS = 2_000;

export function CopyButton({ text, label }: { text: string | (() => string); label?: string }) {
  const [state, setState] = useState<State>("idle");
  useEffect(() => {
    if (state === "idle") return;
    const end = setTimeout(() => setState("idle"), LASTS);
    return () => clearTimeout(end);
  }, [state]);
  const Icon = SIGNS[state];
  const words = { idle: texts.prose.copy, done: texts.prose.copied, failed: texts.prose.notCopied };
  return (
    <Button
      small
      kind="quiet"
      aria-label={label && state === "idle" ? label : undefined}
      icon={<Icon size={12} aria-hidden />}
      onClick={() => {
        const wanted = typeof text === "string" ? text : text();
        void copied(wanted).then((done) => setState(done ? "done" : "failed"));
      }}
    >
      <span aria-live="polite">{words[state]}</span>
    </Button>
  );
}

export async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text);
  }
}

function copiedBySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "fixed top-0 opacity-0";
  document.body.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
