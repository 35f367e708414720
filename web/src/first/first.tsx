/**
 * A new session before its first prompt: where it works, what the agent may do there, what to begin with. On a fresh
 * home it also says who answers, and how a model comes in.
 */
import { texts } from "../texts/texts.js";
import { Fence } from "../ui/problem.js";
import { Answers } from "./answers/answers.js";
import { GUIDE, useBegun, useModels, usePlace } from "./asked.js";
import { DemoButton } from "./demo-button.js";
import { Folder } from "./folder.js";

export function First() {
  const { first } = texts;
  const models = useModels();
  const begun = useBegun();
  const { projects, project, container } = usePlace();
  const model = models.data?.default.model;
  const fresh = model === GUIDE;
  const veryFirst = fresh && begun.data === false;
  return (
    <section
      aria-label={first.region}
      className="flex min-h-0 flex-1 flex-col overflow-y-auto px-4 py-8 mid:px-6 mid:py-12"
    >
      <div className="m-auto flex w-full max-w-[640px] flex-col gap-8">
        <header className="flex flex-col gap-1">
          <h1 className="text-2xl font-semibold tracking-tight">
            {veryFirst ? first.titleFirst : first.title}
          </h1>
          {veryFirst && <p className="max-w-[60ch] leading-normal text-ink-2">{first.aboutFirst}</p>}
        </header>
        {fresh && (
          <Fence name={first.answers}>
            <Answers />
          </Fence>
        )}
        <Fence name={first.folder}>
          <Folder projects={projects} project={project} container={container} />
        </Fence>
        {!fresh && begun.data === false && (
          <footer className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line pt-4 text-sm text-ink-2">
            {models.data && (
              <p className="min-w-0 flex-1">
                {first.model(models.data.default.model)}. {first.why(models.data.default.why)}
              </p>
            )}
            <DemoButton kind="quiet" />
          </footer>
        )}
      </div>
    </section>
  );
}
