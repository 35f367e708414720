/** What happened beside the words: a try that failed, a break, a file that is ready, sources, a change of settings. */
import { Download, ExternalLink, FileCheck, RotateCw, Unplug } from "lucide-react";
import { linkAddress } from "../../prose/markdown/address.js";
import type { FilePart, InterruptedPart, NoticePart, RetryPart, SourcesPart } from "../../session/shape.js";
import { useSession, useStudio } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { bytes } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Cut } from "../tools/cut.js";

export function Retry({ part }: { part: RetryPart }) {
  const words = texts.conversation;
  // While it is waited for, the line of what is going on counts down.
  if (!part.over) return null;
  return (
    <p className="flex items-start gap-2 py-0.5 text-sm text-ink-2">
      <RotateCw size={14} className="mt-[3px] shrink-0 text-care" aria-hidden />
      <span className="min-w-0">
        {words.retried(part.number, part.of)}
        {part.reason && <span className="text-ink-3">{` · ${part.reason}`}</span>}
      </span>
    </p>
  );
}

export function Interrupted({ part }: { part: InterruptedPart }) {
  return (
    <p className="flex items-start gap-2 py-0.5 text-sm text-ink-2">
      <Unplug size={14} className="mt-[3px] shrink-0 text-care" aria-hidden />
      <span>
        {texts.conversation.interrupted}
        {part.reason && <span className="text-ink-3">{` · ${part.reason}`}</span>}
      </span>
    </p>
  );
}

export function Notice({ part }: { part: NoticePart }) {
  return <p className="py-0.5 text-xs text-ink-3">{texts.conversation.notices[part.what](part.value)}</p>;
}

export function FileReady({ part }: { part: FilePart }) {
  const words = texts.conversation.file;
  const studio = useStudio();
  const about = useWatch(useSession().about);
  // A session works in its project, or in a folder of it; files are told from where it works.
  const path = about?.container ? `${about.container}/${part.path}` : part.path;
  const call = { path: { project_id: about?.project_id ?? "" }, query: { path } };
  return (
    <div className="my-1 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-control border border-line bg-surface px-3 py-2 text-sm">
      <span className="flex min-w-0 flex-1 basis-60 items-center gap-2">
        <FileCheck size={16} className="shrink-0 text-good" aria-hidden />
        <span className="shrink-0 font-medium">{words.ready}</span>
        <span className="min-w-0">
          <Cut text={part.path} path />
        </span>
        <span className="shrink-0 text-xs text-ink-3">{bytes(part.size)}</span>
      </span>
      {about?.project_id && (
        <span className="flex shrink-0 items-center gap-4">
          <button
            type="button"
            className="text-accent underline max-mid:min-h-11"
            onClick={() => studio.opened.set({ path: part.path })}
          >
            {words.open}
          </button>
          <a
            className="inline-flex items-center gap-1 text-accent underline max-mid:min-h-11"
            href={studio.http.address("/api/projects/{project_id}/download", call)}
            download
          >
            <Download size={14} aria-hidden />
            {words.download}
          </a>
        </span>
      )}
    </div>
  );
}

/** A link that leads elsewhere shows where, and goes there only by a press. */
export function Sources({ part }: { part: SourcesPart }) {
  return (
    <details className="text-sm text-ink-2">
      <summary className="cursor-pointer py-0.5">{texts.conversation.sources(part.sources.length)}</summary>
      <ol className="mt-1 ml-6 list-decimal">
        {part.sources.map(({ title, url }, n) => {
          const address = linkAddress(url ?? "");
          return (
            <li key={n} className="break-words">
              {address ? (
                <a
                  href={address.href}
                  target="_blank"
                  rel="noopener noreferrer"
                  className="text-accent underline"
                  title={address.href}
                >
                  {title || url} <ExternalLink size={12} className="inline" aria-hidden />
                  <span className="ml-1 text-xs text-ink-3">{address.host}</span>
                </a>
              ) : (
                title || url
              )}
            </li>
          );
        })}
      </ol>
    </details>
  );
}
