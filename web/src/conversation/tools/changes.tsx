/**
 * What a call changes in files, as a diff: the one that was shown before it was allowed, else what its arguments and
 * result say, else both sides of each file as they are kept.
 */
import { useMemo } from "react";
import { Problem } from "../../api/client.js";
import { Diff } from "../../prose/diff.js";
import { type Given, isObject, objects, pathOf, text } from "../../prose/phrase.js";
import type { FileChange, ToolPart } from "../../session/shape.js";
import { useAnswer, useSession, useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { blobPath, wholeOf } from "./blob.js";
import { unified } from "./lines.js";
import { outcomeOf } from "./outcome.js";

/** Bytes of a side that is compared in the page. */
const MOST = 2_000_000;

export function Changes({ part }: { part: ToolPart }) {
  const told = useMemo(() => toldBy(part), [part]);
  if (told) return <Diff diff={told} {...(part.input ? { path: pathOf(part.input) } : {})} />;
  return (
    <>
      {part.writes.slice(0, 20).map((write) => (
        <Kept key={write.path} write={write} />
      ))}
    </>
  );
}

/** The diff that an ask showed, or that patches amount to; empty: neither. */
export function toldBy(part: ToolPart): string {
  const shown = part.ask?.detail.diff;
  if (typeof shown === "string" && part.ask?.answer !== "edit") return shown;
  if (!part.input) return "";
  const edits = objects(part.input, "edits");
  const result = part.result ? outcomeOf(part.result).value : null;
  if (edits.length) {
    const files = isObject(result) ? objects(result, "files") : [];
    return edits.map((edit, n) => patched(edit, files[n] ?? null)).join("");
  }
  if (objects(part.input, "patches").length) return patched(part.input, isObject(result) ? result : null);
  const created = isObject(result) ? result.created === true : !part.writes.some((write) => write.before);
  const content = part.input.content;
  return created && typeof content === "string" ? unified(pathOf(part.input), null, content) : "";
}

function patched(edit: Given, result: Given | null): string {
  const made = result ? objects(result, "changes") : [];
  return objects(edit, "patches")
    .map((patch, n) =>
      unified(
        pathOf(edit),
        text(patch, "old_text", "old", "search"),
        text(patch, "new_text", "new", "replace"),
        Number(made[n]?.line) || 1,
      ),
    )
    .join("");
}

function Kept({ write }: { write: FileChange }) {
  const words = texts.conversation.tools.compared;
  const { root } = useStudio();
  const { sessionId } = useSession();
  const found = useAnswer(
    ["blobs", sessionId, write.before, write.after],
    async (studio, signal) => {
      const side = (blob: string | undefined) =>
        blob ? wholeOf(blobPath(studio.root, sessionId, blob), MOST, signal) : Promise.resolve(null);
      return unified(write.path, await side(write.before), await side(write.after));
    },
    { stale: Number.POSITIVE_INFINITY },
  );
  if (found.data) return <Diff diff={found.data} path={write.path} />;
  return (
    <p className="flex gap-2 text-xs text-ink-2">
      <span className="min-w-0 truncate font-mono">{write.path}</span>
      {found.isPending && <span>{texts.ui.loading}</span>}
      {found.isError && <span>{isLarge(found.error) ? words.large : words.gone}</span>}
      {isLarge(found.error) &&
        (["before", "after"] as const).map(
          (side) =>
            write[side] && (
              <a
                key={side}
                className="text-accent underline"
                href={`${blobPath(root, sessionId, write[side])}?download=true`}
                download
              >
                {words[side]}
              </a>
            ),
        )}
    </p>
  );
}

const isLarge = (error: unknown) => error instanceof Problem && error.code === "large";
