/** Agents by the names that people gave them. */
import { useAnswer } from "../studio/context.js";
import { texts } from "../texts/texts.js";

export function useAgentName(slug: string): string {
  const found = useAnswer(["agents"], (studio, signal) => studio.http.get("/api/agents", { signal }), {
    stale: 60_000,
    enabled: slug !== "",
  });
  const known = found.data?.agents.find((agent) => agent.slug === slug);
  return known?.name || capital(slug) || texts.conversation.agent;
}

const capital = (slug: string) => slug.charAt(0).toUpperCase() + slug.slice(1).replaceAll("-", " ");
