/** The textbox: as high as its words, up to 40 % of the page. */
import { type ComponentProps, type Ref, useLayoutEffect, useRef } from "react";
import { enter } from "../studio/enter.js";
import { useWatch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";

interface Props extends ComponentProps<"textarea"> {
  ref: Ref<HTMLTextAreaElement>;
}

const GROWS = typeof CSS !== "undefined" && CSS.supports?.("field-sizing", "content");

export function Box({ ref, ...rest }: Props) {
  const own = useRef<HTMLTextAreaElement | null>(null);
  // Where the style sheet cannot do it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: its height follows its words
  useLayoutEffect(() => {
    const box = own.current;
    if (!box || GROWS) return;
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  }, [rest.value]);
  return (
    <textarea
      rows={1}
      aria-label={texts.composer.name}
      enterKeyHint={useWatch(enter) === "sends" ? "send" : "enter"}
      spellCheck
      {...rest}
      ref={(node) => {
        own.current = node;
        if (typeof ref === "function") ref(node);
        else if (ref) ref.current = node;
      }}
      className="block field-sizing-content max-h-[40dvh] min-h-11 w-full resize-none bg-transparent px-3 pt-3 pb-2 text-base leading-5 text-ink outline-none placeholder:text-ink-3 max-mid:text-lg"
    />
  );
}
