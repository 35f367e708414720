/** Mod+K finds everything. The box itself is loaded when it is first opened; what is typed until then is not lost. */
import { Dialog } from "radix-ui";
import { lazy, Suspense, useState } from "react";
import { useCommand } from "../studio/commands.js";
import { useWatch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";
import { FIELD } from "./finding/field.js";
import { opened } from "./opened.js";

const Box = lazy(() => import("./finding/palette-box.js"));

export function Palette() {
  const open = useWatch(opened) === "palette";
  const set = (next: boolean) => opened.set(next ? "palette" : "");
  useCommand({
    id: "palette",
    title: texts.rooms.palette,
    group: "go",
    keys: "Mod+K",
    hidden: true,
    run: () => set(!open),
  });
  return (
    <Dialog.Root open={open} onOpenChange={set}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-ink/30 dark:bg-ground/70" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12dvh] left-1/2 z-40 w-[calc(100vw-32px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-panel border border-line bg-surface shadow-float max-mid:top-4"
        >
          <Dialog.Title className="sr-only">{texts.rooms.find.label}</Dialog.Title>
          <Sought onClose={() => set(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Its words live as long as the window, whichever field they are typed into. */
function Sought({ onClose }: { onClose(): void }) {
  const [words, setWords] = useState("");
  const early = (
    <div className="h-80">
      <input
        aria-label={texts.rooms.find.label}
        value={words}
        onChange={(event) => setWords(event.target.value)}
        placeholder={texts.rooms.find.hint}
        className={FIELD}
      />
    </div>
  );
  return (
    <Suspense fallback={early}>
      <Box words={words} onWords={setWords} onClose={onClose} />
    </Suspense>
  );
}
