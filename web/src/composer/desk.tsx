/** The composer of one session, or of the one to come: what is written, what goes with it, and what becomes of it. */
import { type ReactNode, useState } from "react";
import { useCommand } from "../studio/commands.js";
import { texts } from "../texts/texts.js";
import { useNarrow } from "../ui/narrow.js";
import { sayProblem } from "../ui/toasts.js";
import { type Run, useChoices, useRun } from "./around.js";
import { Chips } from "./attach/chips.js";
import { SaveDialog } from "./attach/save-dialog.js";
import { useAttach } from "./attach/use-attach.js";
import { useDrop } from "./attach/use-drop.js";
import { Bar } from "./bar.js";
import { Box } from "./box.js";
import { nextMode } from "./choose/mode-switch.js";
import { useDraft } from "./draft.js";
import { useHistory } from "./history.js";
import { keysOf } from "./keys.js";
import { ClearDialog } from "./offer/clear-dialog.js";
import { useObey } from "./offer/obey.js";
import { OfferList } from "./offer/offer-list.js";
import { mention } from "./offer/trigger.js";
import { spoken, useOffers } from "./offer/use-offers.js";
import { useWriting } from "./pen.js";
import { contentOf, type Piece } from "./piece.js";
import { Queue } from "./queue/queue.js";
import { useSender } from "./send.js";
import { Guide, Unsent } from "./told.js";

export type Picker = "" | "agent" | "model" | "place" | "more";

export function Desk({ name, meters }: { name: string; meters?: ReactNode }) {
  const { composer } = texts;
  const run = useRun();
  const choices = useChoices();
  const sender = useSender();
  const kept = useDraft(name);
  const { draft, change } = kept;
  const narrow = useNarrow();
  const [picker, setPicker] = useState<Picker>("");
  const [clearing, setClearing] = useState(false);
  const history = useHistory(run.store);
  const attach = useAttach(kept.now, change);
  const over = useDrop(attach.take);
  const obey = useObey({
    choices,
    open: (what) => setPicker(narrow ? "more" : what),
    help: () => pen.put("/", 1),
    clear: () => setClearing(true),
  });
  const pen = useWriting({ kept, run, sender, obey, effort: choices.effort, focus: !narrow });
  const offers = useOffers({
    text: draft.text,
    caret: pen.caret,
    put: pen.put,
    obey: (command) => void pen.order(`/${command}`),
  });
  const stop = useStop(run);
  const { append, focus } = pen;
  useCommand({ id: "prompt", title: composer.focus, group: "session", keys: "i", run: focus });
  const setPiece = (piece: Piece) =>
    change((was) => ({ ...was, pieces: was.pieces.map((each) => (each.id === piece.id ? piece : each)) }));
  const dropPiece = (id: string) => {
    change((was) => ({ ...was, pieces: was.pieces.filter((each) => each.id !== id) }));
    focus();
  };
  const [tooMuch] = attach.saving;

  return (
    <>
      {run.store && <Queue store={run.store} queue={run.queue} running={run.running} onRescue={append} />}
      <Unsent run={run} sender={sender} onEdit={append} />
      <div
        className={`relative rounded-panel border bg-surface focus-within:border-accent ${over ? "border-accent" : "border-edge"}`}
      >
        {offers && <OfferList offers={offers} />}
        <Chips pieces={draft.pieces} onChange={setPiece} onRemove={dropPiece} />
        <Box
          ref={pen.box}
          value={draft.text}
          readOnly={sender.beginning}
          aria-busy={sender.beginning || undefined}
          placeholder={over ? composer.drop : placeholder(run)}
          {...spoken(offers)}
          onChange={(event) => {
            history.leave();
            pen.typed(event.target);
          }}
          onSelect={(event) => pen.look(event.currentTarget)}
          onPaste={(event) => attach.paste(event) && event.preventDefault()}
          onKeyDown={keysOf({
            offers,
            history,
            put: pen.put,
            send: (steer) => void pen.send(steer),
            cycle: () => void choices.change({ mode: nextMode(choices.mode) }),
          })}
        />
        <Bar
          run={run}
          choices={choices}
          full={contentOf(draft) !== null}
          narrow={narrow}
          meters={meters}
          beginning={sender.beginning}
          picker={picker}
          onPicker={setPicker}
          onFocus={focus}
          onFiles={(files) => void attach.take(files)}
          onSend={(steer) => void pen.send(steer)}
          onStop={stop}
        />
      </div>
      <Guide model={choices.model} />
      {tooMuch && (
        <SaveDialog
          key={tooMuch.id}
          what={tooMuch}
          onClose={attach.saved}
          onSaved={(path) => {
            attach.saved();
            // With a space behind it nothing more is offered for it: Enter sends.
            append(`${mention(path)} `, " ");
          }}
        />
      )}
      {clearing && run.store && <ClearDialog store={run.store} onClose={() => setClearing(false)} />}
    </>
  );
}

/** Esc, wherever the focus is; a dialog or a list that is open takes it first. */
function useStop(run: Run): () => void {
  const stop = () => {
    if (run.running && !run.stopping) run.store?.cancel(run.running).catch(sayProblem);
  };
  useCommand(
    run.running
      ? {
          id: "stop",
          title: texts.composer.stopTitle,
          group: "session",
          keys: "Escape",
          always: true,
          run: stop,
        }
      : null,
  );
  return stop;
}

function placeholder(run: Run): string {
  const { composer } = texts;
  if (!run.store) return composer.placeholderNew;
  if (run.waiting) return composer.placeholderWaiting;
  return run.busy ? composer.placeholderRunning : composer.placeholder;
}
