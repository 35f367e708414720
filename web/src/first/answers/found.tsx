/** What was found on this machine that could answer: keys in the environment, and programs that serve models. */
import { useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import type { Schema } from "../../api/http.js";
import { useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { useDiscovery } from "../asked.js";

export function Found({ onKey }: { onKey(name: string): void }) {
  const { first } = texts;
  const found = useDiscovery(true);
  const servers = found.data?.servers ?? [];
  const there = servers.filter(({ state }) => state === "answers" || state === "needs a key");
  const missing = servers.filter((each) => !there.includes(each)).map(({ title }) => title);
  const variables = found.data?.variables ?? [];
  const some = there.length + variables.length > 0;
  return (
    <section aria-labelledby="first-found" aria-busy={found.isFetching} className="flex flex-col gap-1">
      <div className="flex items-center justify-between gap-2 border-t border-line pt-3">
        <h4 id="first-found" className={some || found.isPending ? "text-sm font-medium" : "sr-only"}>
          {first.found}
        </h4>
        {!some && missing.length > 0 && <Missing names={missing} />}
        <Button
          small
          kind="quiet"
          busy={found.isFetching}
          icon={<RefreshCw size={12} aria-hidden />}
          onClick={() => void found.refetch()}
        >
          {first.look}
        </Button>
      </div>
      {found.isPending && <p className="text-sm text-ink-2">{first.looking}</p>}
      {found.isError && <p className="text-sm text-bad">{first.lookFailed}</p>}
      <ul className="flex flex-col empty:hidden">
        {variables.map((variable) => (
          <VariableRow key={variable.name} variable={variable} />
        ))}
        {there.map((server) => (
          <ServerRow key={server.name} server={server} onKey={onKey} />
        ))}
      </ul>
      {some && missing.length > 0 && <Missing names={missing} />}
    </section>
  );
}

function Missing({ names }: { names: string[] }) {
  return <p className="text-xs text-ink-2">{texts.first.nothingFound(names)}</p>;
}

/** Changes settings so that this model answers, and says so. */
function useChoose() {
  const studio = useStudio();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const choose = async (find: () => Promise<Record<string, unknown> & { model: string }>) => {
    setBusy(true);
    try {
      const change = await find();
      await studio.http.patch("/api/settings", { body: change });
      say(texts.first.usedNow(change.model));
      await queries.invalidateQueries({ queryKey: ["models"] });
    } catch (error) {
      sayProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return { busy, choose, studio };
}

function VariableRow({ variable }: { variable: Schema<"Variable"> }) {
  const { first } = texts;
  const { busy, choose, studio } = useChoose();
  const find = async () => {
    const tested = await studio.http.post("/api/keys/{name}/test", { path: { name: variable.provider } });
    if (!tested.suggested) throw new Error(`${tested.problem} ${tested.hint}`.trim());
    return { model: tested.suggested.name };
  };
  return (
    <li className="flex min-h-10 items-center gap-3 text-sm">
      <span className="min-w-0 flex-1 truncate">
        {first.provider(variable.provider)}{" "}
        <span className="text-ink-2">{first.variable(variable.name)}</span>
      </span>
      <Button small busy={busy} onClick={() => void choose(find)}>
        {first.use}
      </Button>
    </li>
  );
}

function ServerRow({ server, onKey }: { server: Schema<"LocalServer">; onKey(name: string): void }) {
  const { first } = texts;
  const { busy, choose } = useChoose();
  const [model, setModel] = useState(server.models[0] ?? "");
  const use = async () => ({
    model,
    ...(server.name === "litellm" ? { providers: { litellm: { base_url: server.address } } } : {}),
  });
  if (server.state === "needs a key")
    return (
      <li className="flex min-h-10 items-center gap-3 text-sm">
        <span className="min-w-0 flex-1">{first.serverKey(server.title)}</span>
        <Button small onClick={() => onKey(server.name)}>
          {first.giveKey}
        </Button>
      </li>
    );
  return (
    <li className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 py-1 text-sm">
      <span className="min-w-40 flex-1">
        {server.models.length
          ? first.server(server.title, server.models.length)
          : first.serverEmpty(server.title)}
      </span>
      {server.models.length > 1 && (
        <select
          aria-label={first.whichModel(server.title)}
          value={model}
          onChange={(event) => setModel(event.target.value)}
          className="h-6 max-w-60 rounded-control border border-edge bg-surface px-1 text-xs max-mid:h-11"
        >
          {server.models.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {model && (
        <Button small busy={busy} onClick={() => void choose(use)}>
          {server.models.length > 1 ? first.use : first.takeModel(model)}
        </Button>
      )}
    </li>
  );
}
