/** What the server knows that a new session begins with: who asks, which models there are, and where one works. */
import type { Schema } from "../api/http.js";
import { useAnswer } from "../studio/context.js";

export type Outlook = Schema<"OutlookShape">;

export const GUIDE = "guide";

/** The model of new sessions. No provider is asked for it, so that it is there at once. */
export function useUsual() {
  return useAnswer(
    ["models", "default"],
    (studio, signal) => studio.http.get("/api/models/default", { signal }),
    { stale: 10_000 },
  );
}

export function useDiscovery(enabled: boolean) {
  return useAnswer(["discovery"], (studio, signal) => studio.http.get("/api/discovery", { signal }), {
    enabled,
    stale: 60_000,
  });
}

/** Whether this person has begun anything here. */
export function useBegun() {
  return useAnswer(
    ["sessions", "any"],
    async (studio, signal) =>
      (await studio.http.get("/api/sessions", { query: { limit: 1 }, signal })).sessions.length > 0,
    { stale: 10_000 },
  );
}

export function useOutlook(projectId: string, container: string) {
  return useAnswer(
    ["outlook", projectId, container],
    ({ http }, signal) =>
      http.get("/api/projects/{project_id}/outlook", {
        path: { project_id: projectId },
        query: { container },
        signal,
      }),
    { enabled: projectId !== "", stale: 5_000 },
  );
}
