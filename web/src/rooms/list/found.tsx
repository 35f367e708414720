/** Everything that was ever said, searched: the words around each hit, which opens its session at that place. */
import { useDeferredValue } from "react";
import type { Schema } from "../../api/http.js";
import { useAnswer } from "../../studio/context.js";
import { ago, moment } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { useGoing } from "../going.js";

const MOST = 40;

/** What was said that holds these words. */
export function useFound(words: string) {
  const sought = useDeferredValue(words.trim());
  const found = useAnswer(
    ["search", sought],
    async (studio, signal) =>
      (await studio.http.get("/api/search", { query: { q: sought, limit: MOST }, signal })).hits,
    { enabled: sought.length > 1, stale: 10_000 },
  );
  return { hits: found.data ?? [], loading: found.isLoading, error: found.error };
}

export function Found({ words }: { words: string }) {
  const { hits, loading, error } = useFound(words);
  const { rooms } = texts;
  return (
    <section aria-label={rooms.said} className="px-2 pb-2">
      <h2 className="px-2 pt-2 pb-1 text-xs font-medium text-ink-3">{rooms.said}</h2>
      <p role="status" className="px-2 text-sm text-ink-2 empty:hidden">
        {error?.message || (loading ? texts.ui.loading : hits.length ? "" : rooms.noHits)}
      </p>
      <ul>
        {hits.map((hit) => (
          <Hit key={`${hit.session_id}-${hit.index}`} hit={hit} />
        ))}
      </ul>
    </section>
  );
}

function Hit({ hit }: { hit: Schema<"HitShape"> }) {
  const going = useGoing();
  return (
    <li>
      <button
        type="button"
        onClick={() => going.session(hit.session_id, hit.index)}
        className="flex w-full flex-col gap-0.5 rounded-control px-2 py-1.5 text-left hover:bg-sunken"
      >
        <span className="flex w-full items-baseline gap-2 text-sm">
          <span className="min-w-0 flex-1 truncate">{hit.title || texts.rooms.untitled}</span>
          <time
            dateTime={new Date(hit.at).toISOString()}
            title={moment(hit.at)}
            className="text-xs text-ink-3"
          >
            {ago(hit.at)}
          </time>
        </span>
        <span className="line-clamp-2 text-xs break-words text-ink-2">
          <Marked snippet={hit.snippet} />
        </span>
      </button>
    </li>
  );
}

/** A snippet whose matches stand between « and ». */
export function Marked({ snippet }: { snippet: string }) {
  return snippet.split(/(«[^»]*»)/).map((piece, n) =>
    piece.startsWith("«") ? (
      <mark key={n} className="rounded-[2px] bg-care/25 text-ink">
        {piece.slice(1, -1)}
      </mark>
    ) : (
      piece
    ),
  );
}
