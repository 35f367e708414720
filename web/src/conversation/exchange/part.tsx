/** One part of an exchange, by its kind. */
import type { Exchange, Part } from "../../session/shape.js";
import { texts } from "../../texts/texts.js";
import { AnsweredLine } from "../asks/answered.js";
import { AskCard } from "../asks/ask.js";
import { ErrorBox } from "../parts/error.js";
import { FileReady, Interrupted, Notice, Retry, Sources } from "../parts/happened.js";
import { Reasoning, Said, Steer } from "../parts/said.js";
import { ToolCard } from "../tools/card.js";

export function PartView({ part, exchange, last }: { part: Part; exchange: Exchange; last: boolean }) {
  switch (part.kind) {
    case "text":
      return <Said part={part} />;
    case "reasoning":
      return <Reasoning part={part} />;
    case "tool":
      return <ToolCard part={part} />;
    case "steer":
      return <Steer part={part} />;
    case "ask":
      return part.ask.answer === null ? <AskCard ask={part.ask} /> : <AnsweredAsk part={part} />;
    case "retry":
      return <Retry part={part} />;
    case "interrupted":
      return <Interrupted part={part} />;
    case "error":
      return <ErrorBox part={part} exchange={exchange} last={last} />;
    case "file":
      return <FileReady part={part} />;
    case "sources":
      return <Sources part={part} />;
    case "notice":
      return <Notice part={part} />;
    default:
      return <p className="text-xs text-ink-3">{texts.conversation.unknownPart}</p>;
  }
}

/** What was asked stays to be read, with its answer below. */
function AnsweredAsk({ part: { ask } }: { part: Extract<Part, { kind: "ask" }> }) {
  return (
    <div className="py-0.5 text-sm">
      {ask.kind !== "plan" && ask.kind !== "tool" && <p className="text-ink-2">{ask.question}</p>}
      <AnsweredLine ask={ask} />
    </div>
  );
}
