/** The conversation of the session around it: what was said and done, oldest first, and what is going on now. */
import { useLayoutEffect, useRef } from "react";
import { useSession, useTranscript } from "../studio/context.js";
import { useWatch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";
import { Announcer } from "./announcer.js";
import { ItemView } from "./items.js";
import { Jump } from "./place/jump.js";
import { KeepPlace } from "./place/keep-place.js";
import { useLinked } from "./place/links.js";
import { useMoving } from "./place/moving.js";
import { Older } from "./place/older.js";
import { useScrolling } from "./place/scrolling.js";
import { QueuedView, SendingView } from "./sending.js";
import { Skeleton } from "./skeleton.js";

export function Conversation() {
  const store = useSession();
  const state = useWatch(store.state);
  if (state === "loading" && !store.view.value.items.length && !store.sending.value.length)
    return <Skeleton />;
  return <Log />;
}

function Log() {
  const store = useSession();
  const view = useTranscript();
  const sending = useWatch(store.sending);
  const box = useRef<HTMLElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const { away, onScroll, toEnd, stay } = useScrolling(store, box, inner);
  useLinked(store, box, stay);
  useMoving(box, stay);
  const newest = sending.at(-1)?.messageId ?? "";
  const before = useRef(newest);
  // Whoever says something wants to see what comes of it.
  useLayoutEffect(() => {
    if (newest && newest !== before.current) toEnd();
    before.current = newest;
  }, [newest, toEnd]);
  const next = view.running ? undefined : view.queue.find((each) => !each.steer);
  const first = `${view.items[0]?.key ?? ""} ${view.first}`;
  const empty = !view.items.length && !sending.length && !next;
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <section
        ref={box}
        role="log"
        aria-live="off"
        aria-label={texts.conversation.log}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
        tabIndex={0}
        onScroll={onScroll}
        className="isolate min-h-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain -outline-offset-2"
      >
        <div ref={inner} className="mx-auto w-full max-w-[760px] px-4 pb-6">
          <h2 className="sr-only">{texts.conversation.log}</h2>
          <Older box={box} />
          <KeepPlace first={first} box={box}>
            {view.items.map((item) => (
              <ItemView key={item.key} item={item} />
            ))}
          </KeepPlace>
          {next && <QueuedView queued={next} />}
          {sending.map((each) => (
            <SendingView key={each.messageId} sending={each} />
          ))}
          {empty && <p className="py-16 text-center text-sm text-ink-3">{texts.conversation.empty}</p>}
        </div>
      </section>
      {away && <Jump view={view} onJump={toEnd} />}
      <Announcer view={view} />
    </div>
  );
}
