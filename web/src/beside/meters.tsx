/** Small meters for the composer: how full the context is, and what was spent. Nothing where there is no session. */
import { useContext } from "react";
import { SessionContext } from "../studio/context.js";
import { texts } from "../texts/texts.js";
import { ContextMeter } from "./meters/context-meter.js";
import { CostMeter } from "./meters/cost-meter.js";

export function Meters() {
  const session = useContext(SessionContext);
  if (!session) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: two figures, no fields
    <div role="group" aria-label={texts.beside.meters.label} className="flex items-center">
      <ContextMeter key={`context ${session.tabId}`} />
      <CostMeter key={`cost ${session.tabId}`} />
    </div>
  );
}
