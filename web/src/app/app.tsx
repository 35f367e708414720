/** The page: sessions on the left, the conversation in the middle, what is beside it on the right. */
import { lazy, Suspense } from "react";
import { useBesideKeys } from "../beside/tab.js";
import { Attention } from "../rooms/attention.js";
import { KeySheet } from "../rooms/key-sheet.js";
import { NewVersion } from "../rooms/new-version.js";
import { Palette } from "../rooms/palette.js";
import { Rooms } from "../rooms/rooms.js";
import { SessionContext, useStudio } from "../studio/context.js";
import { useWatch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";
import { Fence } from "../ui/problem.js";
import { Toasts } from "../ui/toasts.js";
import { useAddress } from "./address.js";
import { Connection } from "./connection.js";
import { Middle } from "./middle.js";
import { Side, useSides } from "./sides.js";

const Beside = lazy(async () => ({ default: (await import("../beside/beside.js")).Beside }));

export function App() {
  const studio = useStudio();
  const { active } = useWatch(studio.tabs);
  const page = useAddress();
  const sides = useSides();
  useBesideKeys(() => sides.show("beside"));
  return (
    <SessionContext value={studio.tab(active)?.store ?? null}>
      <a
        href="#conversation"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-2"
      >
        {texts.app.skip}
      </a>
      <div className="flex h-dvh flex-col">
        <Connection />
        <NewVersion />
        <div className="flex min-h-0 flex-1">
          <Side of="rooms" sides={sides}>
            <Rooms />
          </Side>
          <main
            id="conversation"
            tabIndex={-1}
            className="flex min-w-0 flex-1 flex-col outline-none"
            aria-label={texts.app.conversation}
          >
            <Fence name={texts.app.conversation}>
              <Middle page={page} sides={sides} />
            </Fence>
          </main>
          {page.name === "session" && (
            <Side of="beside" sides={sides}>
              <Suspense>
                <Beside />
              </Suspense>
            </Side>
          )}
        </div>
      </div>
      <Attention />
      <Palette />
      <KeySheet />
      <Toasts />
    </SessionContext>
  );
}
