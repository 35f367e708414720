/** Agents by the names that people gave them. */
import { useAgents } from "../studio/answers.js";
import { texts } from "../texts/texts.js";

export function useAgentName(slug: string): string {
  const found = useAgents(slug !== "");
  const known = found.data?.agents.find((agent) => agent.slug === slug);
  return known?.name || capital(slug) || texts.conversation.agent;
}

const capital = (slug: string) => slug.charAt(0).toUpperCase() + slug.slice(1).replaceAll("-", " ");
