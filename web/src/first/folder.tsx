/** The folder that the session will work in: what lies there, what the agent may do, and what to begin with. */
import { FolderOpen } from "lucide-react";
import type { ReactNode } from "react";
import type { Schema } from "../api/http.js";
import { number } from "../texts/figures.js";
import { texts } from "../texts/texts.js";
import { ProblemBox } from "../ui/problem.js";
import { type Outlook, useOutlook } from "./asked.js";
import { May } from "./may.js";
import { Prompts } from "./prompts.js";

interface Props {
  projects: { isError: boolean; isPending: boolean; error: Error | null; refetch(): unknown };
  project: Schema<"ProjectShape"> | undefined;
  container: string;
  /** There is much else on the page. */
  compact?: boolean;
}

export function Folder({ projects, project, container, compact = false }: Props) {
  const { first } = texts;
  const outlook = useOutlook(project?.id ?? "", container);
  if (projects.isError) return <Failed error={projects.error} again={projects.refetch} />;
  if (!projects.isPending && !project)
    return <ProblemBox title={first.noProject} detail={first.noProjectHint} />;
  if (outlook.isError) return <Failed error={outlook.error} again={outlook.refetch} />;
  const seen = outlook.data;
  return (
    <>
      <section aria-labelledby="first-folder" aria-busy={!seen} className="flex flex-col gap-3">
        <h3 id="first-folder" className="sr-only">
          {first.folder}
        </h3>
        <div className="flex min-w-0 items-start gap-3">
          <FolderOpen size={20} aria-hidden className="mt-0.5 shrink-0 text-ink-3" />
          <div className="min-w-0 flex-1">
            <p className="truncate text-lg font-medium">
              {project ? [project.name, container].filter(Boolean).join("/") : " "}
            </p>
            <p className="truncate font-mono text-xs text-ink-3" title={seen?.folder ?? project?.folder}>
              {seen?.folder ?? project?.folder ?? " "}
            </p>
            <p className="mt-1 flex min-h-5 flex-wrap gap-x-2 text-sm text-ink-2">
              {seen && <Facts seen={seen} />}
            </p>
            {seen?.about && !compact && (
              <p className="mt-1 line-clamp-2 max-w-[60ch] text-sm text-ink-2">{seen.about}</p>
            )}
          </div>
        </div>
        <May outlook={seen} />
        <p className="text-sm text-ink-3">
          {first.another} <code className="select-all font-mono text-xs">{first.anotherCommand}</code>
        </p>
      </section>
      <Prompts prompts={seen?.prompts} compact={compact} />
    </>
  );
}

function Facts({ seen }: { seen: Outlook }) {
  const { first } = texts;
  const { repository, languages } = seen;
  const facts = [
    seen.files ? first.counted(seen.files, number(seen.files), seen.whole) : first.empty,
    languages
      .slice(0, 3)
      .map(({ name }) => name)
      .join(", "),
    repository ? repository.branch && first.branch(repository.branch) : first.noGit,
    repository?.under_way ? first.underWay(repository.under_way) : "",
    repository && repository.changed !== null ? first.changed(repository.changed) : "",
  ].filter(Boolean);
  return facts.map((fact, n) => (
    <span key={fact} className="flex gap-2">
      {fact}
      {n < facts.length - 1 && <Dot />}
    </span>
  ));
}

function Dot(): ReactNode {
  return (
    <span aria-hidden className="text-ink-3">
      ·
    </span>
  );
}

function Failed({ error, again }: { error: Error | null; again(): unknown }) {
  return (
    <ProblemBox
      title={texts.first.folderFailed}
      detail={error?.message}
      action={{ label: texts.ui.again, run: () => void again() }}
    />
  );
}
