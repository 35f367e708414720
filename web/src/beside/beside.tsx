/** What stands beside the conversation: the plan, the changes, the files and the terminal. */
import { Tabs } from "radix-ui";
import { type ReactNode, useContext, useState } from "react";
import { SessionContext } from "../studio/context.js";
import { useWatch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";
import { Fence, ProblemBox } from "../ui/problem.js";
import { Changes } from "./changes/changes.js";
import { Empty } from "./empty.js";
import { Files } from "./files/files.js";
import { type Place, usePlace } from "./place.js";
import { Plan } from "./plan.js";
import { TABS, type TabName, tab } from "./tab.js";
import { Terminal } from "./terminal/terminal.js";

export function Beside() {
  const shown = useWatch(tab);
  const session = useContext(SessionContext);
  const place = usePlace();
  // A terminal, or a file that is edited, stays as it is while another view is looked at.
  const [seen, setSeen] = useState<Set<TabName>>(new Set());
  if (!seen.has(shown)) setSeen(new Set([...seen, shown]));
  const { beside } = texts;
  const needsPlace = (show: (place: Place) => ReactNode) =>
    "projectId" in place ? show(place) : <NoPlace where={place} />;
  const views: Record<TabName, () => ReactNode> = {
    plan: () =>
      session ? (
        <Plan key={session.tabId} />
      ) : (
        <Empty title={beside.plan.none} hint={beside.plan.noSession} />
      ),
    changes: () =>
      session ? (
        <Changes key={session.tabId} place={place} />
      ) : (
        <Empty title={beside.changes.none} hint={beside.changes.noSession} />
      ),
    files: () => needsPlace((found) => <Files key={found.projectId} place={found} />),
    terminal: () =>
      needsPlace((found) => <Terminal key={found.projectId} place={found} shown={shown === "terminal"} />),
  };
  return (
    <Tabs.Root
      value={shown}
      onValueChange={(next) => tab.set(next as TabName)}
      className="flex min-h-0 flex-1 flex-col"
    >
      <Tabs.List
        aria-label={beside.views}
        className="flex h-10 shrink-0 items-stretch gap-1 overflow-x-auto border-b border-line px-2 max-mid:h-12"
      >
        {TABS.map((name, n) => (
          <Tabs.Trigger
            key={name}
            data-beside={name}
            value={name}
            aria-keyshortcuts={`Alt+Shift+${n + 1}`}
            className="-mb-px border-b-2 border-transparent px-2 text-sm font-medium whitespace-nowrap text-ink-2 -outline-offset-2 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {beside.tabs[name]}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {TABS.map((name) => (
        <Tabs.Content
          key={name}
          value={name}
          forceMount
          hidden={shown !== name}
          tabIndex={-1}
          className={shown === name ? "flex min-h-0 flex-1 flex-col outline-none" : "hidden"}
        >
          {seen.has(name) && <Fence name={beside.tabs[name]}>{views[name]()}</Fence>}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

function NoPlace({ where }: { where: Exclude<ReturnType<typeof usePlace>, Place> }) {
  const { beside, ui } = texts;
  if (where.state === "loading") return <p className="p-4 text-sm text-ink-3">{ui.loading}</p>;
  if (where.state === "failed")
    return (
      <div className="p-3">
        <ProblemBox
          title={beside.failed}
          detail={where.problem.message}
          action={{ label: ui.again, run: where.again }}
        />
      </div>
    );
  return where.state === "none" ? (
    <Empty title={beside.noProject} hint={beside.noProjectHint} />
  ) : (
    <Empty title={beside.outside} hint={beside.outsideHint} />
  );
}
