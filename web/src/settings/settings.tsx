/** The settings: a page for each part, named in the address. What is the host's alone says so to everybody else. */
import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { useMe } from "../studio/answers.js";
import { texts } from "../texts/texts.js";
import { Fence, ProblemBox } from "../ui/problem.js";
import { Agents } from "./agents/agents.js";
import { Keys } from "./keys/keys.js";
import { About } from "./parts/about.js";
import { Appearance } from "./parts/appearance.js";
import { Browsers } from "./parts/browsers.js";
import { Instructions } from "./parts/instructions.js";
import { Limits } from "./parts/limits.js";
import { Models } from "./parts/models.js";
import { MyData } from "./parts/my-data.js";
import { Sandbox } from "./parts/sandbox.js";
import { Workers } from "./parts/workers.js";
import { Rules } from "./rules/rules.js";

type Part = keyof typeof texts.settings.parts;

const PARTS: Record<Part, () => React.ReactNode> = {
  keys: Keys,
  models: Models,
  agents: Agents,
  instructions: Instructions,
  rules: Rules,
  sandbox: Sandbox,
  limits: Limits,
  appearance: Appearance,
  data: MyData,
  browsers: Browsers,
  workers: Workers,
  about: About,
};
const NAMES = Object.keys(PARTS) as Part[];
/** What is the host's alone. */
const HOSTS: Part[] = ["keys", "instructions", "rules", "sandbox", "limits", "workers"];

export function Settings({ part }: { part: string }) {
  const { data: me } = useMe();
  const host = me?.is_host ?? true;
  const names = NAMES.filter((name) => host || !HOSTS.includes(name));
  const shown = NAMES.find((name) => name === part) ?? names[0] ?? "appearance";
  return (
    <div className="flex min-h-0 flex-1 max-mid:flex-col">
      <Contents names={names} shown={shown} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex w-full max-w-[760px] flex-col gap-5 p-6 max-mid:p-4">
          <header>
            <h2 className="text-xl font-semibold">{texts.settings.parts[shown].name}</h2>
            <p className="mt-1 text-sm text-ink-2">{texts.settings.parts[shown].about}</p>
          </header>
          {part && !NAMES.some((name) => name === part) && <ProblemBox title={texts.settings.noSuch(part)} />}
          {host || !HOSTS.includes(shown) ? (
            <Fence key={shown} name={texts.settings.parts[shown].name}>
              <One part={shown} />
            </Fence>
          ) : (
            <ProblemBox title={texts.settings.hostOnly} detail={texts.settings.hostOnlyHint} />
          )}
        </div>
      </div>
    </div>
  );
}

function One({ part }: { part: Part }) {
  const Shown = PARTS[part];
  return <Shown />;
}

/** On a narrow page the row of parts is scrolled to the one that is shown. */
const near = (link: HTMLElement | null) => link?.scrollIntoView({ block: "nearest", inline: "center" });

function Contents({ names, shown }: { names: Part[]; shown: Part }) {
  const nav = useRef<HTMLElement>(null);
  // Whatever had the focus may have gone with the page that was there before: it begins with the parts then.
  useEffect(() => {
    if (document.activeElement === document.body)
      nav.current?.querySelector<HTMLElement>("[aria-current]")?.focus({ preventScroll: true });
  }, []);
  return (
    <nav
      ref={nav}
      aria-label={texts.app.settings}
      className="w-48 shrink-0 overflow-y-auto border-line p-2 mid:border-r max-mid:w-full max-mid:overflow-x-auto max-mid:border-b"
    >
      <ul className="flex gap-0.5 max-mid:w-max mid:flex-col">
        {names.map((name) => (
          <li key={name} ref={name === shown ? near : undefined}>
            <Link
              href={`/settings/${name}`}
              aria-current={name === shown ? "page" : undefined}
              className={`flex h-8 items-center rounded-control px-2 text-sm whitespace-nowrap max-mid:h-11 ${name === shown ? "bg-sunken font-medium text-ink" : "text-ink-2 hover:bg-sunken hover:text-ink"}`}
            >
              {texts.settings.parts[name].name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
