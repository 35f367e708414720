/**
 * A new session before its first prompt: where it works, what the agent may do there, what to begin with. On a fresh
 * home it also says who answers, and how a model comes in.
 */
import { useMe, useNext } from "../studio/answers.js";
import { texts } from "../texts/texts.js";
import { Fence } from "../ui/problem.js";
import { Answers } from "./answers/answers.js";
import { GUIDE, useBegun, useUsual } from "./asked.js";
import { DemoButton } from "./demo-button.js";
import { Folder } from "./folder.js";

export function First() {
  const { first } = texts;
  const usual = useUsual();
  const begun = useBegun();
  const me = useMe();
  const place = useNext();
  // What it is has to be known before anything is shown: nothing jumps.
  if (usual.isPending || begun.isPending || me.isPending)
    return <section aria-label={first.region} aria-busy className="flex-1" />;
  const guided = usual.data?.model === GUIDE;
  const veryFirst = begun.data === false;
  const host = me.data?.is_host ?? false;
  return (
    <section aria-label={first.region} className="flex min-h-0 flex-1 flex-col overflow-y-auto px-4">
      <div className="m-auto flex w-full max-w-[728px] flex-col gap-6 py-6">
        <div className="flex flex-col gap-5">
          <header className="flex flex-col gap-2">
            <h2 className="text-2xl font-semibold tracking-tight">
              {veryFirst && guided ? first.titleFirst : first.title}
            </h2>
            {guided && (
              <p className="max-w-[64ch] leading-normal text-ink-2">
                {host ? first.guide : first.guideMember}
              </p>
            )}
          </header>
          {guided && (
            <Fence name={first.answers}>
              <Answers host={host} />
            </Fence>
          )}
        </div>
        <Fence name={first.folder}>
          <Folder {...place} compact={guided} />
        </Fence>
        {!guided && veryFirst && (
          <footer className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-ink-2">
            {usual.data && (
              <p className="min-w-0 flex-1">
                {first.model(usual.data.model)}. {first.why(usual.data.why)}
              </p>
            )}
            <DemoButton kind="quiet" />
          </footer>
        )}
      </div>
    </section>
  );
}
