/** Short words about what just happened, with the way back where there is one. */
import { X } from "lucide-react";
import { useEffect } from "react";
import { useWatch, Watch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";
import { Button } from "./button.js";
import { IconButton } from "./icon-button.js";

interface Toast {
  id: number;
  text: string;
  bad: boolean;
  undo?: () => void;
}

const toasts = new Watch<Toast[]>([]);
let last = 0;

/** Say it; `undo` is offered for as long as it stands. */
export function say(text: string, options: { bad?: boolean; undo?: () => void } = {}): void {
  const toast = {
    id: ++last,
    text,
    bad: options.bad ?? false,
    ...(options.undo ? { undo: options.undo } : {}),
  };
  toasts.set([...toasts.value.slice(-3), toast]);
}

/** Say what went wrong. */
export function sayProblem(error: unknown): void {
  say(error instanceof Error ? error.message : String(error), { bad: true });
}

export function Toasts() {
  const shown = useWatch(toasts);
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-20 z-50 flex flex-col items-end gap-2"
    >
      {shown.map((toast) => (
        <One key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

const LASTS = 8_000;

const drop = (id: number) => toasts.set(toasts.value.filter((each) => each.id !== id));

function One({ toast }: { toast: Toast }) {
  const close = () => drop(toast.id);
  useEffect(() => {
    const end = setTimeout(() => drop(toast.id), LASTS);
    return () => clearTimeout(end);
  }, [toast.id]);
  return (
    <div
      className={`pointer-events-auto flex max-w-sm items-center gap-2 rounded-panel border bg-surface py-1.5 pr-1.5 pl-3 text-sm shadow-float ${toast.bad ? "border-bad text-bad" : "border-line"}`}
    >
      <span className="min-w-0 break-words">{toast.text}</span>
      {toast.undo && (
        <Button
          small
          onClick={() => {
            toast.undo?.();
            close();
          }}
        >
          {texts.ui.undo}
        </Button>
      )}
      <IconButton label={texts.ui.close} onClick={close}>
        <X size={14} aria-hidden />
      </IconButton>
    </div>
  );
}
