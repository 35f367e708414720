/** "Waiting for you": everything that needs a word, over all sessions, each a step away. */
import { BellRing } from "lucide-react";
import { useNotifying } from "../../studio/notifying.js";
import { ago, moment } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Sign } from "../../ui/sign.js";
import { say } from "../../ui/toasts.js";
import { useGoing } from "../going.js";
import { asked, useAsks, type Waiting } from "./asks.js";

export function WaitingList() {
  const { data: asks = [] } = useAsks();
  const { rooms } = texts;
  if (!asks.length) return null;
  return (
    <section aria-labelledby="waiting" className="border-b border-line px-2 py-2">
      <h2 id="waiting" className="flex items-center gap-1.5 px-2 pb-1 text-xs font-medium text-care">
        {rooms.waiting}
        <span className="tabular-nums">{asks.length}</span>
      </h2>
      <ul className="flex max-h-64 flex-col overflow-y-auto">
        {asks.map((ask) => (
          <One key={ask.id} ask={ask} />
        ))}
      </ul>
      <Offer />
    </section>
  );
}

function One({ ask }: { ask: Waiting }) {
  const going = useGoing();
  return (
    <li>
      <button
        type="button"
        onClick={() => going.session(ask.session_id)}
        className="flex min-h-11 w-full items-start gap-2 rounded-control px-2 py-1.5 text-left hover:bg-sunken"
      >
        <span className="mt-0.5">
          <Sign of="waiting" quiet />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block truncate text-sm">{ask.title || texts.rooms.untitled}</span>
          <span className="block truncate text-xs text-ink-2">{asked(ask)}</span>
        </span>
        <time
          dateTime={new Date(ask.created_at).toISOString()}
          title={moment(ask.created_at)}
          className="text-xs text-ink-3"
        >
          {ago(ask.created_at)}
        </time>
      </button>
    </li>
  );
}

/** Once, where it is needed: to be told while one is elsewhere. */
function Offer() {
  const notifying = useNotifying();
  const { rooms } = texts;
  const allow = async () => say((await notifying.allow()) ? rooms.notified : rooms.notNotified);
  if (notifying.state !== "unasked") return null;
  return (
    <Button
      kind="quiet"
      small
      className="mt-1"
      icon={<BellRing size={14} aria-hidden />}
      onClick={() => void allow()}
    >
      {rooms.notifyMe}
    </Button>
  );
}
