/** An ask that is open: the card for its kind. */
import type { Ask } from "../../session/shape.js";
import { texts } from "../../texts/texts.js";
import { CallAsk } from "./call.js";
import { Frame } from "./frame.js";
import { ClientAsk, LimitAsk, QuestionAsk, ResumeAsk } from "./others.js";
import { PlanAsk } from "./plan.js";

export function AskCard({ ask }: { ask: Ask }) {
  switch (ask.kind) {
    case "tool":
      return <CallAsk ask={ask} />;
    case "question":
      return <QuestionAsk ask={ask} />;
    case "plan":
      return <PlanAsk ask={ask} />;
    case "limit":
    case "budget":
      return <LimitAsk ask={ask} />;
    case "resume":
      return <ResumeAsk ask={ask} />;
    case "client":
      return <ClientAsk ask={ask} />;
    default:
      return (
        <Frame ask={ask} title={texts.conversation.asks.card} keys={{}}>
          <p>{ask.question}</p>
          <p className="text-ink-2">{texts.conversation.asks.other}</p>
        </Frame>
      );
  }
}
