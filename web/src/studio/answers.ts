/** What several features ask the server for: each is kept under one name, whole, and asked for once. */
import { useQueryClient } from "@tanstack/react-query";
import { ownedBy } from "../api/kept.js";
import { leave } from "../api/leaving.js";
import { useAnswer, useStudio } from "./context.js";
import { useWatch } from "./watch.js";

export const useMe = () =>
  useAnswer(
    ["me"],
    async ({ http, root }, signal) => {
      const me = await http.get("/api/me", { signal });
      if (!ownedBy(me.id)) leave(root);
      return me;
    },
    { stale: 60_000 },
  );

export const useProjects = (enabled = true) =>
  useAnswer(["projects"], ({ http }, signal) => http.get("/api/projects", { signal }), {
    stale: 30_000,
    enabled,
  });

/** Where the next session works: in the project that was picked, if it is still there, else in the first one. */
export function useNext(enabled = true) {
  const wish = useWatch(useStudio().wish);
  const projects = useProjects(enabled);
  const list = projects.data?.projects;
  const picked = list?.find(({ id }) => id === wish.project_id);
  return { projects, project: picked ?? list?.[0], container: (picked && wish.container) || "" };
}

export const useAgents = (enabled = true) =>
  useAnswer(["agents"], ({ http }, signal) => http.get("/api/agents", { signal }), {
    stale: 30_000,
    enabled,
  });

export const useModels = (enabled = true) =>
  useAnswer(["models"], ({ http }, signal) => http.get("/api/models", { signal }), {
    stale: 60_000,
    enabled,
  });

/** Have the providers asked anew what they offer. */
export function useRefreshModels(): () => Promise<void> {
  const { http } = useStudio();
  const queries = useQueryClient();
  return async () =>
    void queries.setQueryData(["models"], await http.get("/api/models", { query: { refresh: true } }));
}
