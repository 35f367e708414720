/** What waits for its turn, above the box: to be changed, moved, taken back, or said into what runs. */
import { useEffect, useState } from "react";
import type { MediaBlock, Queued } from "../../session/shape.js";
import type { Content, SessionStore } from "../../session/store.js";
import { useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { useLine } from "./order.js";
import { type Edited, QueuedRow } from "./queued-row.js";
import { mediaOf, wordsOf, written } from "./words.js";

/** Longer than a prompt takes to be taken up. */
const SOON = 600;

interface Props {
  store: SessionStore;
  queue: Queued[];
  /** What runs before them; empty: nothing, and the first of them is about to. */
  running: string;
  /** What would be lost goes back into the box. */
  onRescue(content: Content): void;
}

export function Queue({ store, queue, running, onRescue }: Props) {
  const { composer } = texts;
  const line = useLine(store, queue);
  const { root } = useStudio();
  const whole = async (text: string, media: MediaBlock[]) =>
    (await written(text, media, `${root}/api/sessions/${store.sessionId}/blobs`)) as Content;
  const [edited, setEdited] = useState<Edited | null>(null);
  const [moved, setMoved] = useState("");

  // Its turn came while it was being changed: the change is not lost.
  const gone = edited && !queue.some(({ messageId }) => messageId === edited.messageId) ? edited : null;
  useEffect(() => {
    if (!gone) return;
    setEdited(null);
    if (gone.text === gone.before) return;
    onRescue(gone.text);
    say(texts.composer.turnCame);
  }, [gone, onRescue]);

  const save = async ({ messageId, text, media }: Edited) => {
    try {
      await line.edit(messageId, await whole(text, media));
      setEdited(null);
    } catch (error) {
      sayProblem(error);
    }
  };
  const move = async (item: Queued, to: number) => {
    if (to < 0 || to >= line.queue.length) return;
    setMoved(composer.moved(to + 1, line.queue.length));
    await line.move(item.messageId, to).catch(sayProblem);
  };
  const remove = async (item: Queued) => {
    const said = await whole(wordsOf(item.content), mediaOf(item.content)).catch(() => null);
    const back = () => void (said && store.prompt(said).catch(() => {}));
    const stopped = await line.remove(item.messageId).catch(sayProblem);
    if (stopped) say(composer.removed, said ? { undo: back } : {});
  };
  const steer = async (item: Queued) => {
    try {
      const said = await whole(wordsOf(item.content), mediaOf(item.content));
      // First it is taken back, so that it is never said twice.
      if (await line.remove(item.messageId)) store.prompt(said, { steer: true }).catch(() => {});
    } catch (error) {
      sayProblem(error);
    }
  };
  if (!useShown(queue.length > 0, running !== "") || !line.queue.length) return null;
  return (
    <section aria-label={composer.queueName} className="mb-2 rounded-panel border border-line bg-surface">
      <h2 className="px-3 pt-1.5 text-xs font-medium text-ink-3">{composer.waiting(line.queue.length)}</h2>
      <ol className="max-h-[30dvh] overflow-y-auto p-1">
        {line.queue.map((item, n) => (
          <QueuedRow
            key={item.messageId}
            item={item}
            first={n === 0}
            last={n === line.queue.length - 1}
            edited={edited?.messageId === item.messageId ? edited : null}
            onEdit={setEdited}
            onSave={(edited) => void save(edited)}
            onMove={(by) => void move(item, n + by)}
            onRemove={() => void remove(item)}
            onSteer={() => void steer(item)}
          />
        ))}
      </ol>
      <p role="status" className="sr-only">
        {moved}
      </p>
    </section>
  );
}

/** Every prompt waits for a moment: the list comes when it waits for something, and stays until nothing does. */
function useShown(some: boolean, running: boolean): boolean {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!some) setShown(false);
    else if (running) setShown(true);
    else {
      const timer = setTimeout(() => setShown(true), SOON);
      return () => clearTimeout(timer);
    }
  }, [some, running]);
  return some && (shown || running);
}
