/** Who answers: the models of each provider with window and price, and why a provider could not be asked. */

import { RefreshCw, Sparkles } from "lucide-react";
import type { Schema } from "../../api/http.js";
import { useModels, useRefreshModels } from "../../studio/answers.js";
import { short } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { sayProblem } from "../../ui/toasts.js";
import { type Choices, EFFORTS, type Effort } from "../around.js";
import { Chooser, type ChooserOption, type Opened } from "./chooser.js";
import { Pill } from "./pill.js";

type Models = Schema<"Models">;
type Offered = Schema<"Offered">;

export function ModelPicker({ choices, ...opened }: { choices: Choices } & Opened) {
  const { composer } = texts;
  const models = useModels();
  const efforts: Record<string, string> = { ...composer.efforts, "": "" };
  return (
    <Chooser
      {...opened}
      label={composer.model}
      search={composer.modelSearch}
      options={models.data ? optionsOf(models.data, choices.model) : []}
      onPick={(model) => void choices.change({ model })}
      foot={<Foot models={models.data} failed={models.isError} choices={choices} />}
      button={
        <Pill
          name={composer.model}
          word={[shortName(choices.model) || composer.model, efforts[choices.effort]]
            .filter(Boolean)
            .join(" · ")}
          title={choices.model}
          icon={<Sparkles size={14} className="shrink-0" aria-hidden />}
        />
      }
    />
  );
}

/** Without its provider. */
function shortName(model: string): string {
  return model.split("/").at(-1) ?? model;
}

function optionsOf(models: Models, chosen: string): ChooserOption[] {
  const offered = models.providers.flatMap(({ provider, models: list }) =>
    list.map((model) => ({
      id: model.name,
      words: `${provider} ${model.name}`,
      group: provider,
      label: model.name.startsWith(`${provider}/`) ? model.name.slice(provider.length + 1) : model.name,
      about: toldOf(model),
      chosen: model.name === chosen,
      ...(model.name === models.default.model ? { hint: texts.composer.modelDefault } : {}),
    })),
  );
  // What holds is listed even if nobody offers it.
  if (!chosen || offered.some((option) => option.id === chosen)) return offered;
  return [{ id: chosen, words: chosen, label: chosen, chosen: true }, ...offered];
}

function toldOf({ context_window, input_price, output_price }: Offered): string {
  const { composer } = texts;
  const free = input_price === 0 && output_price === 0;
  const price =
    input_price === null || output_price === null
      ? ""
      : free
        ? composer.free
        : composer.price(dollars(input_price), dollars(output_price));
  return [context_window ? composer.context(short(context_window)) : "", price].filter(Boolean).join(" · ");
}

const dollars = (n: number) => `$${Number(n.toFixed(2))}`;

interface FootProps {
  models: Models | undefined;
  failed: boolean;
  choices: Choices;
}

function Foot({ models, failed, choices }: FootProps) {
  const { composer } = texts;
  const refresh = useRefreshModels();
  const problems = models?.providers.filter(({ problem }) => problem) ?? [];
  return (
    <div className="flex flex-col gap-1">
      {failed && <p>{composer.failed}</p>}
      {problems.map(({ provider, problem }) => (
        <p key={provider} className="line-clamp-2" title={problem}>
          <span className="font-medium text-care">{composer.modelProblem(provider)}</span> {problem}
        </p>
      ))}
      <div className="flex items-center justify-between gap-2">
        <label className="flex items-center gap-1.5">
          {composer.effort}
          <select
            value={choices.effort}
            onChange={(event) => choices.setEffort(event.target.value as Effort)}
            className="h-6 rounded-control border border-edge bg-surface px-1 text-xs text-ink max-mid:h-11"
          >
            {EFFORTS.map((effort) => (
              <option key={effort} value={effort}>
                {composer.efforts[effort]}
              </option>
            ))}
          </select>
        </label>
        <Button
          small
          kind="quiet"
          icon={<RefreshCw size={12} aria-hidden />}
          onClick={() => void refresh().catch(sayProblem)}
        >
          {composer.modelRefresh}
        </Button>
      </div>
    </div>
  );
}
