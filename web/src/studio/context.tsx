/** How a view finds the studio, its session, and whatever the server answers. */
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { Transcript } from "../session/shape.js";
import type { SessionStore } from "../session/store.js";
import type { Studio } from "./studio.js";
import { useWatch } from "./watch.js";

export const StudioContext = createContext<Studio | null>(null);
export const SessionContext = createContext<SessionStore | null>(null);

export function useStudio(): Studio {
  const studio = useContext(StudioContext);
  if (!studio) throw new Error("There is no studio around this view.");
  return studio;
}

/** The session that is shown around this view. */
export function useSession(): SessionStore {
  const session = useContext(SessionContext);
  if (!session) throw new Error("There is no session around this view.");
  return session;
}

export function useTranscript(): Transcript {
  return useWatch(useSession().view);
}

/**
 * What a route answers, kept and renewed; `key` names it: everything under the same first word can be renewed at once.
 * `hidden`: it is asked for while the page is hidden, too.
 */
export function useAnswer<T>(
  key: readonly unknown[],
  ask: (studio: Studio, signal: AbortSignal) => Promise<T>,
  options: { enabled?: boolean; every?: number; stale?: number; hidden?: boolean } = {},
): UseQueryResult<T> {
  const studio = useStudio();
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => ask(studio, signal),
    enabled: options.enabled ?? true,
    refetchInterval: options.every ?? false,
    refetchIntervalInBackground: options.hidden ?? false,
    staleTime: options.stale ?? 2_000,
  });
}
