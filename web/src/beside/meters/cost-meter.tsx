/** What was spent: in this session, live; and, opened, in its last exchange, by its children, today, and of the limit. */
import { useState } from "react";
import type { Exchange } from "../../session/shape.js";
import { useAnswer, useSession, useTranscript } from "../../studio/context.js";
import { money, number, short } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Popover } from "../../ui/popover.js";
import { usePulse } from "../pulse.js";
import { METER } from "./look.js";
import { useRenewed } from "./renewed.js";

export function CostMeter() {
  const { sessionId } = useSession();
  const { cost, items } = useTranscript();
  const [open, setOpen] = useState(false);
  const key = ["usage", sessionId];
  const { data } = useAnswer(key, ({ http }, signal) =>
    http.get("/api/sessions/{session_id}/usage", { path: { session_id: sessionId }, signal }),
  );
  useRenewed(key, `${usePulse()}|${cost}`);
  const { meters } = texts.beside;
  const spent = Math.max(data?.cost ?? 0, cost);
  // Nothing that is known, and something that is not: that is no zero.
  const unpriced = items.some((item) => item.kind === "exchange" && item.end?.cost === null);
  const shown = money(spent || !unpriced ? spent : null);
  return (
    <Popover
      label={meters.costTitle}
      open={open}
      onOpen={setOpen}
      button={
        <button type="button" aria-label={meters.cost(shown)} className={METER}>
          {shown}
        </button>
      }
    >
      <h2 className="mb-2 font-semibold">{meters.costTitle}</h2>
      {open && <Breakdown spent={spent} />}
      {data && data.models.length > 0 && (
        <ul className="mt-2 flex flex-col gap-1 border-t border-line pt-2 text-xs text-ink-2">
          {data.models.map(({ model, calls, tokens, cost: price }) => (
            <li key={model} className="flex gap-2">
              <span className="min-w-0 flex-1 truncate" title={model}>
                {model}
              </span>
              <span className="shrink-0 tabular-nums" title={number(tokens)}>
                {meters.calls(calls)} · {meters.tokens(short(tokens))} · {money(price)}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="mt-2 text-xs text-ink-3">{meters.unpriced}</p>
    </Popover>
  );
}

function Breakdown({ spent }: { spent: number }) {
  const { sessionId } = useSession();
  const { items, running } = useTranscript();
  const { meters } = texts.beside;
  const { data: children } = useAnswer(["usage", sessionId, "children"], async ({ http }, signal) => {
    const path = { session_id: sessionId };
    const { sessions } = await http.get("/api/sessions/{session_id}/children", { path, signal });
    const used = sessions.map(({ id }) =>
      http.get("/api/sessions/{session_id}/usage", { path: { session_id: id }, signal }),
    );
    return (await Promise.all(used)).reduce((sum, { cost }) => sum + cost, 0);
  });
  const { data: mine } = useAnswer(["usage", "mine"], ({ http }, signal) =>
    http.get("/api/usage", { query: { days: 1 }, signal }),
  );
  const last = items.findLast((item): item is Exchange => item.kind === "exchange" && item.end !== null);
  const window = mine?.window;
  const today = mine?.days.reduce((sum, { cost }) => sum + cost, 0);
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 text-sm">
      {last && !running && <Line name={meters.exchange} micro={last.end?.cost ?? null} />}
      <Line name={meters.session} micro={spent} />
      {children !== undefined && children > 0 && <Line name={meters.children} micro={children} />}
      {today !== undefined && <Line name={meters.today} micro={today} />}
      {window && window.limit !== null && (
        <>
          <Line name={meters.budget(meters.hours(window.hours))} micro={window.limit} />
          <Line name={meters.budgetLeft} micro={Math.max(0, window.limit - window.cost)} />
        </>
      )}
    </dl>
  );
}

function Line({ name, micro }: { name: string; micro: number | null }) {
  const exact = micro === null ? undefined : `$${(micro / 1_000_000).toFixed(6)}`;
  return (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd className="text-right tabular-nums" title={exact}>
        {micro === null ? texts.beside.meters.notKnown : money(micro)}
      </dd>
    </>
  );
}
