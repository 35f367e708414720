/** Which model answers; what providers offer, and which could not be asked. */
import { useState } from "react";
import type { Schema } from "../../api/http.js";
import { useMe, useModels, useRefreshModels } from "../../studio/answers.js";
import { short } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { ProblemBox } from "../../ui/problem.js";
import { sayProblem } from "../../ui/toasts.js";
import { Loaded, Section, SettingGroup } from "../one/group.js";

const NAMES = ["model", "provider", "effort", "temperature", "max_output", "context_window", "compact_at"];
const MORE = ["reasoning_in_answer", "text_calls", "idle_timeout", "total_timeout", "ca_file"];

export function Models() {
  const { models } = texts.settings;
  const refresh = useRefreshModels();
  const [busy, setBusy] = useState(false);
  const { data: me } = useMe();
  const found = useModels();
  const offers = found.data?.providers.flatMap((each) => each.models.map(({ name }) => name)) ?? [];
  const renew = async () => {
    setBusy(true);
    await refresh().catch(sayProblem);
    setBusy(false);
  };
  return (
    <>
      <Loaded of={found}>
        {({ default: chosen }) => (
          <p className="rounded-panel border border-line bg-surface p-3 text-sm">
            <span className="font-mono">{chosen.model}</span>
            <span className="block text-xs text-ink-2">{models.chosen(chosen.why)}</span>
          </p>
        )}
      </Loaded>
      {me?.is_host && <SettingGroup names={NAMES} offers={{ model: offers }} />}
      <Section title={models.offered}>
        <div>
          <Button small busy={busy} onClick={() => void renew()}>
            {models.renew}
          </Button>
        </div>
        {found.data?.providers.map((each) => (
          <Provider key={each.provider} of={each} />
        ))}
        {found.data && !found.data.providers.length && <p className="text-sm text-ink-2">{models.none}</p>}
      </Section>
      {me?.is_host && (
        <Section title={models.more}>
          <SettingGroup names={MORE} />
        </Section>
      )}
    </>
  );
}

function Provider({ of }: { of: Schema<"Provider"> }) {
  const { models } = texts.settings;
  return (
    <details className="rounded-panel border border-line bg-surface">
      <summary className="px-3 py-2 text-sm font-medium">
        {of.provider} <span className="font-normal text-ink-2">{models.count(of.models.length)}</span>
        {of.problem && <span className="ml-2 text-xs font-normal text-bad">{models.notAsked}</span>}
      </summary>
      {of.problem && (
        <div className="px-3 pb-2">
          <ProblemBox title={of.problem} />
        </div>
      )}
      <div className="max-h-96 overflow-auto px-3 pb-2">
        <table className="w-full text-xs">
          <thead className="text-left text-ink-3">
            <tr>
              <th className="py-1 font-medium">{models.name}</th>
              <th className="py-1 font-medium">{models.window}</th>
              <th className="py-1 font-medium">{models.price}</th>
            </tr>
          </thead>
          <tbody>
            {of.models.map((each) => (
              <tr key={each.name} className="border-t border-line">
                <td className="py-1 pr-2 font-mono break-all">{each.name}</td>
                <td className="py-1 pr-2">{each.context_window ? short(each.context_window) : "–"}</td>
                <td className="py-1 whitespace-nowrap">
                  {models.prices(each.input_price, each.output_price)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
