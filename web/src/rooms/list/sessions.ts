/**
 * The person's sessions, as lists show them: the newest are asked for again and again, older ones a page at a time as
 * somebody goes on. What the newest say counts; what they no longer name is gone.
 */
import { type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Schema } from "../../api/http.js";
import type { paths } from "../../api/schema.js";
import { useAnswer, useStudio } from "../../studio/context.js";
import type { Studio } from "../../studio/studio.js";
import { useHidden } from "../hidden.js";

export type SessionRow = Schema<"SessionShape">;
type Page = Schema<"SessionPage">;

const NEWEST = 60;
const PAGE = 200;

type Query = NonNullable<paths["/api/sessions"]["get"]["parameters"]["query"]>;

function asked(studio: Studio, query: Query, signal: AbortSignal): Promise<Page> {
  return studio.http.get("/api/sessions", { query, signal });
}

/** The newest sessions, as they are now. */
export function useNewest(archived = false) {
  const every = useHidden() ? 15_000 : 5_000;
  return useAnswer(
    ["sessions", "newest", archived],
    (studio, signal) => asked(studio, { limit: NEWEST, archived }, signal),
    { every, hidden: !archived },
  );
}

export function usePinned() {
  return useAnswer(["sessions", "pinned"], (studio, signal) =>
    asked(studio, { limit: PAGE, pinned: true }, signal),
  );
}

/** All that are loaded, and the way to more. */
export function useSessions(archived: boolean) {
  const studio = useStudio();
  const newest = useNewest(archived);
  const older = useInfiniteQuery({
    queryKey: ["older", archived],
    queryFn: ({ pageParam, signal }) =>
      asked(studio, { limit: PAGE, archived, ...(pageParam ? { before: pageParam } : {}) }, signal),
    initialPageParam: "",
    getNextPageParam: (page: Page) => page.next || undefined,
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data: first } = newest;
  const { data: pages } = older;
  const rows = useMemo(
    () => merged(first?.sessions ?? [], pages?.pages.flatMap((page) => page.sessions) ?? []),
    [first, pages],
  );
  return {
    rows,
    loading: newest.isPending,
    error: newest.error,
    again: () => void newest.refetch(),
    more: pages ? older.hasNextPage : Boolean(first?.next),
    paging: older.isFetching,
    loadMore: () => void (pages ? older.fetchNextPage() : older.refetch()),
  };
}

/** The newest, then the older ones, each once; one that should be among the newest and is not is gone. */
export function merged(newest: SessionRow[], older: SessionRow[]): SessionRow[] {
  if (!older.length) return newest;
  const known = new Set(newest.map((row) => row.id));
  const oldest = newest.at(-1)?.updated_at ?? Number.POSITIVE_INFINITY;
  const rest = older.filter((row) => !known.has(row.id) && row.updated_at <= oldest);
  return [...newest, ...rest];
}

/** Put what is known of a session in its place in every list; null: it is gone. */
export function put(queries: QueryClient, id: string, change: Partial<SessionRow> | null): void {
  const changed = (page: Page): Page => ({
    ...page,
    sessions: page.sessions.flatMap((row) =>
      row.id !== id ? [row] : change === null ? [] : [{ ...row, ...change }],
    ),
  });
  // Others keep something else under the same word: only pages of sessions are changed.
  queries.setQueriesData<Page>({ queryKey: ["sessions"] }, (page) =>
    Array.isArray(page?.sessions) ? changed(page) : page,
  );
  queries.setQueriesData<{ pages: Page[]; pageParams: unknown[] }>(
    { queryKey: ["older"] },
    (all) => all && { ...all, pages: all.pages.map(changed) },
  );
}

/** What may be done with a session from a list. Each tells every list of it. */
export function useTidying() {
  const studio = useStudio();
  const queries = useQueryClient();
  return useMemo(() => {
    const renewed = () => void queries.invalidateQueries({ queryKey: ["sessions"] });
    const change = async (id: string, wish: Schema<"SessionChange">) => {
      const row = await studio.http.patch("/api/sessions/{session_id}", {
        path: { session_id: id },
        body: wish,
      });
      put(queries, id, row.archived && wish.archived ? null : row);
      studio.tabs.value.list.find((tab) => tab.store.sessionId === id)?.store.about.set(row);
      renewed();
      return row;
    };
    const remove = async (id: string) => {
      await studio.http.delete("/api/sessions/{session_id}", { path: { session_id: id } });
      put(queries, id, null);
      renewed();
    };
    return { change, remove };
  }, [studio, queries]);
}
