/** What stands between exchanges: a compaction, a line that says what changed, something that nobody knows here. */
import { FoldVertical } from "lucide-react";
import { memo, useState } from "react";
import { Markdown } from "../prose/markdown.js";
import type { Compaction, Divider, Item } from "../session/shape.js";
import { useSession, useStudio } from "../studio/context.js";
import { moment, money, short } from "../texts/figures.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { sayProblem } from "../ui/toasts.js";
import { ExchangeView } from "./exchange/exchange.js";

export const ItemView = memo(function ItemView({ item }: { item: Item }) {
  switch (item.kind) {
    case "exchange":
      return <ExchangeView exchange={item} />;
    case "compaction":
      return <Compacted item={item} />;
    case "divider":
      return <Divided item={item} />;
    default:
      return <p className="py-2 text-center text-xs text-ink-3">{texts.conversation.unknown(item.type)}</p>;
  }
});

function Divided({ item }: { item: Divider }) {
  const words = texts.conversation.dividers[item.what];
  return (
    <div
      data-item={item.key}
      className="flex items-center gap-3 py-3 text-xs text-ink-3"
      title={moment(item.at)}
    >
      <hr className="flex-1 border-line" />
      <span className="shrink-0">{typeof words === "string" ? words : words(item.value)}</span>
      <hr className="flex-1 border-line" />
    </div>
  );
}

function Compacted({ item }: { item: Compaction }) {
  const words = texts.conversation.compaction;
  const studio = useStudio();
  const { sessionId } = useSession();
  const [busy, setBusy] = useState(false);
  const undo = () => {
    setBusy(true);
    studio.http
      .post("/api/sessions/{session_id}/undo-compaction", {
        path: { session_id: sessionId },
        body: { compaction: item.index },
      })
      .catch(sayProblem)
      .finally(() => setBusy(false));
  };
  const why = words.by[item.reason];
  return (
    <div
      data-item={item.key}
      className="my-3 flex flex-col gap-2 border-y border-line py-2 text-sm text-ink-2"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <FoldVertical size={14} className="text-ink-3" aria-hidden />
        <span className="font-medium">{words.title}</span>
        {why && <span className="text-ink-3">{why}</span>}
        <span>{words.tokens(short(item.before), short(item.after))}</span>
        {item.cost !== null && item.cost > 0 && <span className="text-ink-3">{money(item.cost)}</span>}
        <span className="ml-auto">
          {item.undone ? (
            <span className="text-xs">{words.undone}</span>
          ) : (
            <Button small busy={busy} onClick={undo}>
              {words.undo}
            </Button>
          )}
        </span>
      </div>
      {!item.undone && <p className="text-xs text-ink-3">{words.kept}</p>}
      {item.summary && (
        <details>
          <summary className="cursor-pointer text-xs">{words.summary}</summary>
          <div className="mt-2 border-l border-line pl-4">
            <Markdown text={item.summary} level={4} />
          </div>
        </details>
      )}
    </div>
  );
}
