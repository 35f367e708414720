/** Who can be chosen: all agents, broken ones with what is wrong, and the host's own to write. */
import { useState } from "react";
import type { Schema } from "../../api/http.js";
import { useAgents, useMe } from "../../studio/answers.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { ProblemBox } from "../../ui/problem.js";
import { Loaded, Section, SettingGroup } from "../one/group.js";
import { AgentEditor } from "./agent-editor.js";

type Agent = Schema<"Agent">;

export function Agents() {
  const words = texts.settings.agents;
  const { data: me } = useMe();
  const found = useAgents();
  const [edited, setEdited] = useState<{ slug: string; copy: boolean } | null>(null);
  const host = me?.is_host ?? false;
  const slugs = found.data?.agents.filter((each) => !each.problems?.length).map(({ slug }) => slug) ?? [];
  return (
    <>
      {host && <SettingGroup names={["agent"]} offers={{ agent: slugs }} />}
      <Section title={words.all}>
        {host && (
          <div>
            <Button small onClick={() => setEdited({ slug: "", copy: true })}>
              {words.create}
            </Button>
          </div>
        )}
        <Loaded of={found}>
          {({ agents }) => (
            <ul className="rounded-panel border border-line bg-surface">
              {agents.map((each) => (
                <One
                  key={each.slug}
                  agent={each}
                  host={host}
                  onEdit={(copy) => setEdited({ slug: each.slug, copy })}
                />
              ))}
            </ul>
          )}
        </Loaded>
      </Section>
      {edited && <AgentEditor {...edited} onClose={() => setEdited(null)} />}
    </>
  );
}

function One({ agent, host, onEdit }: { agent: Agent; host: boolean; onEdit(copy: boolean): void }) {
  const words = texts.settings.agents;
  const own = agent.origin === "own";
  return (
    <li className="flex flex-col gap-1 border-b border-line px-3 py-2 text-sm last:border-0">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{agent.name || agent.slug}</span>
        <code className="font-mono text-xs text-ink-3">{agent.slug}</code>
        {agent.is_default && <span className="text-xs text-good">{words.isDefault}</span>}
        <span className="ml-auto flex gap-1">
          {host && (
            <Button small onClick={() => onEdit(!own)}>
              {own ? words.edit : words.copy}
              <span className="sr-only">{agent.slug}</span>
            </Button>
          )}
        </span>
      </div>
      {agent.description && <p className="text-ink-2">{agent.description}</p>}
      <p className="text-xs text-ink-3">
        {words.origins[agent.origin]} · {agent.model || words.sessionModel} ·{" "}
        {agent.tools ? words.tools(agent.tools.length) : words.allTools}
      </p>
      {agent.problems && agent.problems.length > 0 && (
        <ProblemBox title={words.broken} detail={<Sentences of={agent.problems} />} />
      )}
    </li>
  );
}

export function Sentences({ of }: { of: string[] }) {
  return (
    <ul className="list-disc pl-4">
      {of.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );
}
