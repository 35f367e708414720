/** Some settings of the server, by name, and what is said while they are not there. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { texts } from "../../texts/texts.js";
import { ProblemBox } from "../../ui/problem.js";
import { SettingRow } from "./setting-row.js";
import { useSettings } from "./values.js";

export function SettingGroup({ names, offers = {} }: { names: string[]; offers?: Record<string, string[]> }) {
  return (
    <Loaded of={useSettings()}>
      {(page) => (
        <div>
          {page.problem && <ProblemBox title={texts.settings.badFile(page.file)} detail={page.problem} />}
          {names.flatMap((name) => {
            const setting = page.settings.find((each) => each.name === name);
            const known = offers[name];
            if (!setting) return [];
            return [<SettingRow key={name} setting={setting} {...(known ? { offers: known } : {})} />];
          })}
        </div>
      )}
    </Loaded>
  );
}

/** What a route answered, once it has; until then that it is asked, or why it could not be. */
export function Loaded<T>({ of, children }: { of: UseQueryResult<T>; children(answer: T): ReactNode }) {
  if (of.data !== undefined) return children(of.data);
  if (of.error) {
    return (
      <ProblemBox
        title={texts.settings.notLoaded}
        detail={of.error.message}
        action={{ label: texts.ui.again, run: () => void of.refetch() }}
      />
    );
  }
  return (
    <p role="status" className="text-sm text-ink-2">
      {texts.ui.loading}
    </p>
  );
}

/** A heading within a part, and what stands below it. */
export function Section({
  title,
  about,
  children,
}: {
  title: string;
  about?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h3 className="text-base font-semibold">{title}</h3>
      {about && <p className="text-sm text-ink-2">{about}</p>}
      {children}
    </section>
  );
}
