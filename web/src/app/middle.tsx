/** The middle of the page: the tabs, and below them a session, a new one, or the settings. */
import { PanelLeft, PanelRight } from "lucide-react";
import { lazy, Suspense } from "react";
import { Meters } from "../beside/meters.js";
import { Composer } from "../composer/composer.js";
import { Conversation } from "../conversation/conversation.js";
import { WaitingBar } from "../conversation/waiting-bar.js";
import { First } from "../first/first.js";
import { TabBar } from "../rooms/tab-bar.js";
import { useSession, useStudio } from "../studio/context.js";
import { useWatch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";
import { IconButton } from "../ui/icon-button.js";
import { ProblemBox } from "../ui/problem.js";
import { sayProblem } from "../ui/toasts.js";
import type { Page } from "./address.js";
import type { Sides } from "./sides.js";

const Settings = lazy(async () => ({ default: (await import("../settings/settings.js")).Settings }));

export function Middle({ page, sides }: { page: Page; sides: Sides }) {
  const studio = useStudio();
  const { active } = useWatch(studio.tabs);
  return (
    <>
      <div className="flex h-10 shrink-0 items-center gap-1 border-b border-line px-2">
        <IconButton
          label={sides.shown.rooms ? texts.app.hideRooms : texts.app.showRooms}
          keys="Mod+B"
          onClick={() => sides.toggle("rooms")}
        >
          <PanelLeft size={16} aria-hidden />
        </IconButton>
        <TabBar />
        {page.name === "session" && (
          <IconButton
            label={sides.shown.beside ? texts.app.hideBeside : texts.app.showBeside}
            keys="Mod+J"
            onClick={() => sides.toggle("beside")}
          >
            <PanelRight size={16} aria-hidden />
          </IconButton>
        )}
      </div>
      <div
        id="session"
        role="tabpanel"
        aria-label={page.name === "settings" ? texts.app.settings : texts.app.conversation}
        className="flex min-h-0 flex-1 flex-col"
      >
        {page.name === "settings" ? (
          <Suspense fallback={<div className="flex-1" />}>
            <Settings part={page.part} />
          </Suspense>
        ) : studio.tab(active) ? (
          <Session key={active} />
        ) : (
          <New />
        )}
      </div>
    </>
  );
}

function New() {
  return (
    <>
      <First />
      <Composer />
    </>
  );
}

function Session() {
  const studio = useStudio();
  const store = useSession();
  const state = useWatch(store.state);
  const problem = useWatch(store.problem);
  if (state === "gone" || state === "failed") {
    return (
      <div className="mx-auto w-full max-w-[760px] px-4 py-6">
        <ProblemBox
          title={state === "gone" ? texts.app.sessionGone : texts.app.failed}
          detail={state === "gone" ? texts.app.sessionGoneHint : problem?.message}
          action={
            state === "gone"
              ? { label: texts.app.closeTab, run: () => void studio.closeTab(store.tabId).catch(sayProblem) }
              : { label: texts.ui.again, run: () => void store.open() }
          }
        />
      </div>
    );
  }
  return (
    <>
      <Conversation />
      <WaitingBar />
      <Composer meters={<Meters />} />
    </>
  );
}
