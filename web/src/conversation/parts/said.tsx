/** What was said: words of a person as they are, of the agent as prose; thoughts folded, with the time they took. */
import { ChevronRight, CornerDownRight } from "lucide-react";
import { memo, useId, useState } from "react";
import { Markdown } from "../../prose/markdown.js";
import type { Block, MediaBlock, ReasoningPart, SteerPart, TextPart } from "../../session/shape.js";
import { duration } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { wordsOf } from "../exchange/forking.js";
import { Media } from "./media.js";

/** Characters of a prompt that are shown at once. */
const LONG = 6_000;

export function Words({ blocks }: { blocks: Block[] }) {
  const words = wordsOf(blocks);
  const [all, setAll] = useState(false);
  const media = blocks.filter(
    (block): block is MediaBlock =>
      block.type === "image" || block.type === "audio" || block.type === "document",
  );
  const cut = !all && words.length > LONG;
  return (
    <div className="flex flex-col gap-2">
      {words && (
        <p className="own-box break-words whitespace-pre-wrap">
          {cut ? words.slice(0, LONG / 4) : words}
          {cut && (
            <button
              type="button"
              className="block text-sm text-accent underline"
              onClick={() => setAll(true)}
            >
              {texts.conversation.showWords(words.length)}
            </button>
          )}
        </p>
      )}
      <Media blocks={media} />
    </div>
  );
}

export const Said = memo(function Said({ part }: { part: TextPart }) {
  return <Markdown text={part.text} streaming={part.streaming} level={4} />;
});

export const Reasoning = memo(function Reasoning({ part }: { part: ReasoningPart }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const words = texts.conversation.reasoning;
  const title = part.streaming ? words.now : part.ms ? words.took(duration(part.ms)) : words.done;
  return (
    <div className="-mx-1.5">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        className="flex min-h-7 items-center gap-2 rounded-control px-1.5 text-sm text-ink-3 hover:bg-sunken hover:text-ink focus-visible:bg-sunken max-mid:min-h-11"
      >
        <ChevronRight size={14} aria-hidden className={open ? "rotate-90" : ""} />
        {title}
      </button>
      {open && (
        <div
          id={id}
          className="mt-1 mr-1.5 ml-[13px] border-l border-line pl-4 text-sm leading-normal break-words whitespace-pre-wrap text-ink-2"
        >
          {part.text}
        </div>
      )}
    </div>
  );
});

export const Steer = memo(function Steer({ part }: { part: SteerPart }) {
  return (
    <div className="my-1 border-l-2 border-accent pl-3">
      <p className="flex items-center gap-1.5 text-xs text-ink-3">
        <CornerDownRight size={12} aria-hidden />
        {texts.conversation.steer}
      </p>
      <Words blocks={part.content} />
    </div>
  );
});
