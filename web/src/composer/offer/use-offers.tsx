/** Files after an `@` and commands after a `/`, offered while they are typed. */
import { File, Folder } from "lucide-react";
import { type KeyboardEvent, useContext, useId, useState } from "react";
import { SessionContext } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { moved, type Option, optionId } from "../options.js";
import { usePlace } from "../place.js";
import { useFiles } from "./files.js";
import { COMMANDS, IN_SESSION } from "./slash.js";
import { mention, replaced, type Token, tokenAt } from "./trigger.js";

interface Written {
  text: string;
  caret: number;
}

interface Given extends Written {
  /** Put this into the box. */
  put(text: string, caret: number): void;
  /** Do this command now. */
  obey(name: string): void;
}

export interface Offers {
  id: string;
  label: string;
  options: Option[];
  active: number;
  /** Said below them. */
  note: string;
  setActive(active: number): void;
  pick(option: Option): void;
  close(): void;
  /** True: the key was for the list. */
  keyDown(event: KeyboardEvent): boolean;
}

/** What is offered for what stands at the caret; null: nothing. */
export function useOffers({ text, caret, put, obey }: Given): Offers | null {
  const { composer } = texts;
  const id = useId();
  const place = usePlace();
  const inSession = useContext(SessionContext) !== null;
  const [choice, setChoice] = useState({ of: "", active: 0 });
  const [closed, setClosed] = useState("");
  const token = tokenAt(text, caret);
  const files = useFiles(place, token?.kind === "file" ? token.query : null);
  const spot = token ? `${token.kind}:${token.start}` : "";
  if (closed && closed !== spot) setClosed("");
  if (!token || closed === spot) return null;

  const options =
    token.kind === "file" ? files.found.map(fileOption) : commandOptions(token.query, inSession);
  const note =
    token.kind === "command"
      ? ""
      : files.failed
        ? composer.failed
        : !files.whole
          ? composer.partly
          : options.length || files.busy
            ? ""
            : composer.nothing;
  if (!options.length && !note) return null;
  const named = `${spot}:${token.query}`;
  const active = choice.of === named ? Math.min(choice.active, options.length - 1) : 0;

  const take = (option: Option, whole: boolean) => {
    const next = taken(token, option, text);
    if (token.kind === "command" && whole && COMMANDS[option.id] !== "words") obey(option.id);
    else put(next.text, next.caret);
  };
  const keyDown = (event: KeyboardEvent) => {
    const option = options[active];
    const to = moved(event.key, active, options);
    if (event.key === "Escape") setClosed(spot);
    else if (to !== undefined) setChoice({ of: named, active: to });
    else if (option && (event.key === "Enter" || event.key === "Tab") && !event.shiftKey)
      take(option, event.key === "Enter");
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  return {
    id,
    label: token.kind === "file" ? composer.files : composer.commands,
    options,
    active,
    note,
    setActive: (next) => setChoice({ of: named, active: next }),
    pick: (option) => take(option, true),
    close: () => setClosed(spot),
    keyDown,
  };
}

/** What the box holds once it was chosen: a folder goes on, everything else is done with. */
function taken(token: Token, option: Option, text: string): Written {
  if (token.kind === "command") return replaced(text, token, `/${option.id} `);
  const named = mention(option.id);
  const follows = /^\s/.test(text.slice(token.end));
  return replaced(
    text,
    token,
    option.id.endsWith("/") ? named.replace(/"$/, "") : named + (follows ? "" : " "),
  );
}

function fileOption({ path, folder }: { path: string; folder: boolean }): Option {
  const cut = path.lastIndexOf("/", path.length - 2) + 1;
  return {
    id: path,
    label: path.slice(cut),
    hint: <span className="block max-w-60 truncate">{path.slice(0, cut)}</span>,
    icon: folder ? <Folder size={14} aria-hidden /> : <File size={14} aria-hidden />,
  };
}

function commandOptions(query: string, inSession: boolean): Option[] {
  const { slash } = texts.composer;
  return Object.keys(COMMANDS)
    .filter((name) => name.startsWith(query.toLowerCase()) && (inSession || !IN_SESSION.has(name)))
    .map((name) => ({
      id: name,
      label: (
        <>
          <span className="inline-block w-20 font-medium">/{name}</span>{" "}
          <span className="text-xs text-ink-2">{slash[name]}</span>
        </>
      ),
    }));
}

/** What a textbox says of its list. */
export function spoken(offers: Offers | null) {
  if (!offers?.options.length) return { "aria-autocomplete": "list" as const };
  return {
    "aria-autocomplete": "list" as const,
    "aria-controls": offers.id,
    "aria-activedescendant": optionId(offers.id, offers.active),
  };
}
