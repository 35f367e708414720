/** One prompt and all that came of it. Drawn again only when it changed; laid out only when it is near the screen. */
import { memo, useEffect, useRef } from "react";
import type { Exchange } from "../../session/shape.js";
import { useSession } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";
import { useAgentName } from "../agents.js";
import { anchorOf } from "../place/links.js";
import { placeOf } from "../place/scrolling.js";
import { ToolRun } from "../tools/run.js";
import { EndLine } from "./end-line.js";
import { grouped } from "./grouping.js";
import { NowLine } from "./now-line.js";
import { PartView } from "./part.js";
import { Prompt } from "./prompt.js";

/** What one is taken to be high before it was ever laid out. */
const HEIGHT = 240;
/** No part paints over another one, and what is decided on lies above them all. Calls stand out of theirs a little. */
const PART = "own-box relative -mx-2 px-2 has-data-ask:z-1";

export const ExchangeView = memo(function ExchangeView({ exchange }: { exchange: Exchange }) {
  const { heights } = placeOf(useSession());
  const article = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = article.current;
    if (!element) return;
    const watch = new ResizeObserver(() => heights.set(exchange.key, Math.round(element.offsetHeight)));
    watch.observe(element);
    return () => watch.disconnect();
  }, [heights, exchange.key]);
  return (
    <article
      ref={article}
      id={anchorOf(exchange.key)}
      data-item={exchange.key}
      className="flex flex-col gap-4 pt-6 pb-2 [content-visibility:auto] [overflow-clip-margin:8px]"
      style={{ containIntrinsicBlockSize: `auto ${heights.get(exchange.key) ?? HEIGHT}px` }}
    >
      {exchange.index > 0 ? (
        <Prompt exchange={exchange} />
      ) : (
        <p className="text-xs text-ink-3">{texts.conversation.notLoaded}</p>
      )}
      <Reply exchange={exchange} />
    </article>
  );
});

function Reply({ exchange }: { exchange: Exchange }) {
  const about = useWatch(useSession().about);
  const name = useAgentName(exchange.agent || about?.agent || "");
  const { parts, end } = exchange;
  const model = exchange.model.split("/").at(-1) ?? "";
  const error = parts.findLast((part) => part.kind === "error");
  if (!parts.length && !exchange.model && !end) return <NowLine exchange={exchange} />;
  return (
    // biome-ignore lint/a11y/useSemanticElements: nothing is filled in here, as in a fieldset
    <div
      role="group"
      data-message
      tabIndex={-1}
      aria-label={texts.conversation.agentSaid(name)}
      className="flex flex-col rounded-control outline-offset-8"
    >
      <h3 className="own-box mb-1 flex min-w-0 items-baseline gap-1.5 text-sm font-semibold">
        {name}
        {model && (
          <span className="min-w-0 truncate text-xs font-normal text-ink-3" title={exchange.model}>
            {`· ${model}`}
          </span>
        )}
      </h3>
      {grouped(parts).map((shown) =>
        shown.kind === "run" ? (
          <div key={`run ${shown.key}`} data-part className={PART}>
            <ToolRun parts={shown.parts} />
          </div>
        ) : (
          <div
            key={shown.part.key}
            data-part
            className={shown.part.kind === "text" ? `${PART} my-1.5` : PART}
          >
            <PartView part={shown.part} exchange={exchange} last={shown.part === error} />
          </div>
        ),
      )}
      {end ? <EndLine exchange={exchange} end={end} /> : <NowLine exchange={exchange} />}
    </div>
  );
}
