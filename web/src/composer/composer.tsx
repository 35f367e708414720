/** Where a person writes: the prompt, what goes with it, who answers it, and what waits to be answered. */
import { type ReactNode, useContext } from "react";
import { SessionContext } from "../studio/context.js";
import { texts } from "../texts/texts.js";
import { Desk } from "./desk.js";

export function Composer({ meters }: { meters?: ReactNode }) {
  const session = useContext(SessionContext)?.sessionId ?? "new";
  return (
    <section
      aria-label={texts.composer.region}
      className="mx-auto w-full max-w-[760px] shrink-0 px-4 pb-[max(12px,env(safe-area-inset-bottom))] max-mid:px-2"
    >
      <Desk key={session} name={session} meters={meters} />
    </section>
  );
}
