/** Who works: the agents there are, with what each is good for. */

import { Bot } from "lucide-react";
import { useAgents } from "../../studio/answers.js";
import { texts } from "../../texts/texts.js";
import type { Choices } from "../around.js";
import { Chooser, type Opened } from "./chooser.js";
import { Pill } from "./pill.js";

export function AgentPicker({ choices, ...opened }: { choices: Choices } & Opened) {
  const { composer } = texts;
  const agents = useAgents();
  const list = agents.data?.agents ?? [];
  const chosen = list.find((agent) => agent.slug === choices.agent);
  const options = list.map((agent) => ({
    id: agent.slug,
    words: `${agent.slug} ${agent.name} ${agent.description}`,
    label: agent.name || agent.slug,
    about: agent.problems?.length ? `${composer.agentBroken}: ${agent.problems[0]}` : agent.description,
    chosen: agent.slug === choices.agent,
    disabled: Boolean(agent.problems?.length),
  }));
  return (
    <Chooser
      {...opened}
      label={composer.agent}
      search={composer.agentSearch}
      options={options}
      onPick={(agent) => void choices.change({ agent })}
      foot={agents.isError ? composer.failed : undefined}
      button={
        <Pill
          name={composer.agent}
          word={chosen?.name || choices.agent || composer.defaultAgent}
          icon={<Bot size={14} className="shrink-0" aria-hidden />}
        />
      }
    />
  );
}
