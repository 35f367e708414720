/** Three prompts made from the project: a press writes one into the composer, another sends it at once. */
import { ArrowUp } from "lucide-react";
import type { Schema } from "../api/http.js";
import { useStudio } from "../studio/context.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { IconButton } from "../ui/icon-button.js";

interface Props {
  prompts: Schema<"SuggestedShape">[] | undefined;
  /** Only their titles, side by side. */
  compact: boolean;
}

export function Prompts({ prompts, compact }: Props) {
  const { first } = texts;
  const studio = useStudio();
  if (prompts?.length === 0) return null;
  const propose = (text: string, send: boolean) => studio.proposed.set({ text, send });
  if (compact)
    return (
      <section aria-labelledby="first-prompts" aria-busy={!prompts} className="-mt-3">
        <h3 id="first-prompts" className="sr-only">
          {first.prompts}
        </h3>
        <ul className="flex min-h-8 flex-wrap gap-2">
          {prompts?.map(({ title, text }) => (
            <li key={title} className="min-w-0">
              <Button title={text} className="max-w-full" onClick={() => propose(text, false)}>
                <span className="truncate">{title}</span>
              </Button>
            </li>
          ))}
        </ul>
      </section>
    );
  return (
    <section aria-labelledby="first-prompts" aria-busy={!prompts} className="flex flex-col gap-2">
      <h3 id="first-prompts" className="text-sm font-medium text-ink-2">
        {first.prompts}
      </h3>
      <ul className="flex flex-col divide-y divide-line border-y border-line">
        {prompts?.map(({ title, text, about }) => (
          <li key={title} className="flex items-center gap-1 hover:bg-sunken">
            <button
              type="button"
              title={text}
              onClick={() => propose(text, false)}
              className="flex min-h-14 min-w-0 flex-1 flex-col justify-center rounded-control px-2 py-2 text-left"
            >
              <span className="w-full truncate font-medium">{title}</span>
              <span className="w-full truncate text-xs text-ink-2">{about}</span>
            </button>
            <IconButton label={first.send(title)} onClick={() => propose(text, true)} className="mr-1">
              <ArrowUp size={16} aria-hidden />
            </IconButton>
          </li>
        )) ?? [0, 1, 2].map((n) => <li key={n} aria-hidden className="h-14" />)}
      </ul>
    </section>
  );
}
