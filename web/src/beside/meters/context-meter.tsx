/** How full the model's window is, with what, and "compact now". */
import type { Schema } from "../../api/http.js";
import { useAnswer, useSession, useTranscript } from "../../studio/context.js";
import { number, short } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Popover } from "../../ui/popover.js";
import { Arc } from "./arc.js";
import { Compacting } from "./compacting.js";
import { METER } from "./look.js";
import { useRenewed } from "./renewed.js";

type Context = Schema<"ContextShape">;

export function ContextMeter() {
  const { sessionId } = useSession();
  const { running, items, model } = useTranscript();
  const key = ["context", sessionId];
  const { data } = useAnswer(key, ({ http }, signal) =>
    http.get("/api/sessions/{session_id}/context", { path: { session_id: sessionId }, signal }),
  );
  const compactions = items.filter((item) => item.kind === "compaction" && !item.undone).length;
  useRenewed(key, `${running}|${compactions}|${model}`);
  if (!data) return null;
  const { meters } = texts.beside;
  const percent = data.percent > 0 && data.percent < 1 ? "<1 %" : `${Math.round(data.percent)} %`;
  return (
    <Popover
      label={meters.contextTitle}
      button={
        <button type="button" aria-label={meters.context(percent)} className={METER}>
          <Arc percent={data.percent} />
          {percent}
        </button>
      }
    >
      <h2 className="font-semibold">{meters.contextTitle}</h2>
      <p className="text-ink-2" title={`${number(data.tokens)} / ${number(data.window)}`}>
        {meters.of(short(data.tokens), short(data.window))}
        {data.assumed && ` ${meters.assumed}`}
        {!data.counted && ` ${meters.guessed}`}
      </p>
      <Parts context={data} />
      <p className="mb-3 text-xs text-ink-3">
        {data.compact_at ? meters.compactAt(data.compact_at) : meters.neverCompacts}
      </p>
      <Compacting />
    </Popover>
  );
}

/** The parts as one bar, the largest first, and as a table. */
function Parts({ context }: { context: Context }) {
  const { meters } = texts.beside;
  const parts = Object.entries(context.parts)
    .filter(([, tokens]) => tokens > 0)
    .sort(([, a], [, b]) => b - a);
  const share = (tokens: number) => `${(100 * tokens) / Math.max(context.window, context.tokens, 1)}%`;
  return (
    <>
      <div aria-hidden className="my-2 flex h-2 overflow-hidden rounded-full bg-sunken">
        {parts.map(([name, tokens], n) => (
          <span
            key={name}
            style={{ width: share(tokens), opacity: Math.max(0.3, 1 - n * 0.15) }}
            className="border-r border-surface bg-note"
          />
        ))}
      </div>
      <dl className="mb-2 grid grid-cols-[1fr_auto] gap-x-4 gap-y-0.5 text-xs">
        {parts.map(([name, tokens]) => (
          <div key={name} className="contents">
            <dt className="text-ink-2">{meters.parts[name] ?? name}</dt>
            <dd className="text-right tabular-nums" title={number(tokens)}>
              {short(tokens)}
            </dd>
          </div>
        ))}
        <dt className="text-ink-3">{meters.free}</dt>
        <dd className="text-right text-ink-3 tabular-nums">
          {short(Math.max(0, context.window - context.tokens))}
        </dd>
      </dl>
    </>
  );
}
