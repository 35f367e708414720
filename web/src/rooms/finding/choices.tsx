/** Agents and models, chosen for the session that is shown, or for the next one. */
import { useAgents, useModels } from "../../studio/answers.js";
import { useStudio } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { type Done, Group, Item } from "./palette-box.js";

/** Lists of providers are long: they are gone through only for a word. */
const LEAST = 2;

export function Choices({ words, done }: { words: string; done: Done }) {
  const wanted = words.trim().length >= LEAST;
  const choose = useChoosing();
  const agents = useAgents(wanted);
  const models = useModels(wanted);
  if (!wanted) return null;
  const { find } = texts.rooms;
  const usable = agents.data?.agents.filter(({ problems }) => !problems?.length) ?? [];
  const offered = models.data?.providers.flatMap((each) => each.models) ?? [];
  return (
    <>
      <Group name={choose.shown ? find.agentsHere : find.agents}>
        {usable.map(({ slug, name, description }) => (
          <Item
            key={slug}
            value={`agent ${slug}`}
            words={[slug, name ?? ""]}
            act={done(() => choose.agent(slug))}
          >
            <span>{name || slug}</span>
            <span className="truncate text-xs text-ink-2">{description}</span>
          </Item>
        ))}
      </Group>
      <Group name={choose.shown ? find.modelsHere : find.models}>
        {offered.map(({ name }) => (
          <Item key={name} value={`model ${name}`} words={[name]} act={done(() => choose.model(name))}>
            <span className="truncate font-mono text-xs">{name}</span>
          </Item>
        ))}
      </Group>
    </>
  );
}

function useChoosing() {
  const studio = useStudio();
  useWatch(studio.tabs);
  const shown = studio.active?.store;
  const choose = (change: { agent: string } | { model: string }, name: string) => {
    if (!shown) studio.wish.set({ ...studio.wish.value, ...change });
    const told = () => say(shown ? texts.rooms.find.chosenHere(name) : texts.rooms.find.chosen(name));
    if (shown) shown.change(change).then(told, sayProblem);
    else told();
  };
  return {
    shown: Boolean(shown),
    agent: (agent: string) => choose({ agent }, agent),
    model: (model: string) => choose({ model }, model),
  };
}
