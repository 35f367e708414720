/** The sheet behind `?`: every key there is now, by what it is for. */
import { commands, useCommand, written } from "../studio/commands.js";
import { ENTER_KEYS, enter } from "../studio/enter.js";
import { useWatch } from "../studio/watch.js";
import { texts } from "../texts/texts.js";
import { Key } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { opened } from "./opened.js";

/** Keys that do the same, and what they do. */
type Line = [string[], string];

const GROUPS = ["session", "go", "view", "other"] as const;

export function KeySheet() {
  const open = useWatch(opened) === "keys";
  const { sheet } = texts.rooms;
  useCommand({
    id: "keys",
    title: sheet.title,
    group: "other",
    keys: "?",
    run: () => opened.set(open ? "" : "keys"),
  });
  return (
    <Dialog title={sheet.title} open={open} onClose={() => opened.set("")} wide>
      <div className="gap-x-8 mid:columns-2">
        {GROUPS.map((group) => (
          <Group key={group} group={group} />
        ))}
        <Prompt />
        <Lines name={sheet.asked} lines={sheet.answers} />
        <Lines name={sheet.lists} lines={sheet.more} />
      </div>
    </Dialog>
  );
}

function Group({ group }: { group: (typeof GROUPS)[number] }) {
  const all = useWatch(commands);
  const known = new Map<string, Set<string>>();
  for (const { id, group: own, keys, title } of all) {
    if (own !== group || !keys || !title) continue;
    const said = `${written(keys)}${id === "tab.nth" ? " … 9" : ""}`;
    known.set(title, (known.get(title) ?? new Set()).add(said));
  }
  const lines = [...known].map(([title, keys]): Line => [[...keys], title]);
  return <Lines name={texts.rooms.sheet.groups[group]} lines={lines} />;
}

/** The keys of the box, which follow what this browser was told of Enter. */
function Prompt() {
  const { sheet } = texts.rooms;
  const keys = ENTER_KEYS[useWatch(enter)];
  const names = ["send", "steer", "line"] as const;
  const own = names.map((name): Line => [[written(keys[name])], sheet.prompted[name]]);
  return <Lines name={sheet.prompt} lines={[...own, ...sheet.promptMore]} />;
}

function Lines({ name, lines }: { name: string; lines: Line[] }) {
  if (!lines.length) return null;
  return (
    <section aria-label={name} className="break-inside-avoid pb-5">
      <h3 className="pb-1 text-xs font-medium text-ink-3">{name}</h3>
      <dl>
        {lines.map(([keys, what]) => (
          <div key={what} className="flex items-center justify-between gap-3 py-1 text-sm">
            <dt className="min-w-0">{what}</dt>
            <dd className="flex shrink-0 gap-1.5 text-ink-2">
              {keys.map((key) => (
                <Key key={key} always>
                  {key}
                </Key>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
