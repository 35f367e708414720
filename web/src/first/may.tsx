/** What the agent may do in this folder, in the mode that the session will have. */
import { Ban, Check, CircleHelp } from "lucide-react";
import { useStudio } from "../studio/context.js";
import { useWatch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";
import type { Outlook } from "./asked.js";

const DEEDS = ["read", "write", "run", "network"] as const;
const SIGNS = {
  allow: [Check, "text-good"],
  ask: [CircleHelp, "text-care"],
  deny: [Ban, "text-ink-3"],
  blocked: [Ban, "text-ink-3"],
} as const;

export function May({ outlook }: { outlook: Outlook | undefined }) {
  const { first } = texts;
  const studio = useStudio();
  const wish = useWatch(studio.wish);
  if (!outlook) return <div aria-hidden className="h-40 rounded-panel bg-sunken mid:h-[103px]" />;
  const mode = wish.mode || outlook.mode;
  const may = outlook.modes.find((each) => each.mode === mode)?.may ?? {};
  return (
    <div className="rounded-panel bg-sunken px-4 py-2.5 text-sm">
      <p className="text-ink-2">{first.may(texts.composer.modes[mode]?.toLowerCase() ?? mode)}</p>
      <ul className="mt-1.5 grid grid-cols-2 gap-x-4 gap-y-1 mid:grid-cols-4">
        {DEEDS.map((deed) => {
          const word = may[deed] ?? "ask";
          const [Icon, colour] = SIGNS[word];
          return (
            <li key={deed} className="flex items-start gap-1.5">
              <Icon size={14} aria-hidden className={`mt-[3px] shrink-0 ${colour}`} />
              <span>
                {first.deeds[deed]} <span className="block text-xs text-ink-2">{first.words[word]}</span>
              </span>
            </li>
          );
        })}
      </ul>
      <p className="mt-2 text-xs text-ink-2">
        {held(outlook, may.run === "allow")} {mode === "allow" && outlook.sandbox.problem}{" "}
        {outlook.rules > 0 && first.rules(outlook.rules)}
      </p>
    </div>
  );
}

/** `free`: in this mode nobody is asked before a command runs, with the network or without it. */
function held({ sandbox }: Outlook, free: boolean): string {
  const { first } = texts;
  if (!sandbox.runs) return first.noCommands;
  if (sandbox.kind === "none") return first.bare;
  if (!sandbox.network) return first.sandboxedAlone;
  return free ? first.sandboxedFree : first.sandboxed;
}
