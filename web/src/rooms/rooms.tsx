/** The left side: what waits for you, and every session there is. */
import { Archive, ArrowLeft, Command, Plus, Search, X } from "lucide-react";
import { useState } from "react";
import { shortcut, written } from "../studio/commands.js";
import { useKept } from "../studio/kept.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { Field } from "../ui/field.js";
import { IconButton } from "../ui/icon-button.js";
import { useGoing } from "./going.js";
import { Found } from "./list/found.js";
import { SessionList } from "./list/session-list.js";
import { opened } from "./opened.js";
import { ProjectMenu } from "./person/project-menu.js";
import { YouMenu } from "./person/you-menu.js";
import { WaitingList } from "./waiting/waiting-list.js";

export function Rooms() {
  const [words, setWords] = useState("");
  const [archived, setArchived] = useState(false);
  const [project, setProject] = useKept("project", "");
  const { rooms } = texts;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Head />
      <div className="relative px-3 pb-2">
        <Search size={14} aria-hidden className="absolute top-2.5 left-5 text-ink-3 max-mid:top-4" />
        <Field
          type="search"
          label={rooms.search}
          bare
          placeholder={rooms.search}
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => event.key === "Escape" && setWords("")}
          className="pl-7 text-sm [&::-webkit-search-cancel-button]:hidden"
        />
        {words && (
          <IconButton
            label={rooms.clearSearch}
            onClick={() => setWords("")}
            className="absolute top-0.5 right-3.5 max-mid:top-0"
          >
            <X size={14} aria-hidden />
          </IconButton>
        )}
      </div>
      {!words && <WaitingList />}
      <nav aria-label={texts.app.sessions} className="min-h-0 flex-1 overflow-y-auto">
        {archived && (
          <div className="flex items-center gap-1 px-2 pt-1">
            <IconButton label={rooms.leaveArchive} onClick={() => setArchived(false)}>
              <ArrowLeft size={16} aria-hidden />
            </IconButton>
            <p className="text-sm font-medium">{rooms.archiveView}</p>
          </div>
        )}
        <SessionList archived={archived} project={project} words={words} />
        {words.trim().length > 1 && <Found words={words} />}
      </nav>
      <div className="flex flex-col gap-0.5 border-t border-line p-2">
        <ProjectMenu project={project} onChange={setProject} />
        <div className="flex items-center gap-1">
          <YouMenu />
          <IconButton label={rooms.archiveView} pressed={archived} onClick={() => setArchived(!archived)}>
            <Archive size={16} aria-hidden />
          </IconButton>
        </div>
      </div>
    </div>
  );
}

function Head() {
  const going = useGoing();
  return (
    <div className="flex flex-col gap-2 px-3 pt-2 pb-2">
      <p className="flex h-6 items-center text-base font-semibold">{texts.app.name}</p>
      <div className="flex gap-2">
        <Button
          icon={<Plus size={16} aria-hidden />}
          onClick={going.fresh}
          className="flex-1"
          aria-keyshortcuts="Alt+N"
        >
          {texts.rooms.newOne}
        </Button>
        <Button
          onClick={() => opened.set("palette")}
          title={texts.rooms.palette}
          aria-keyshortcuts={shortcut("Mod+K")}
        >
          <span className="sr-only">{texts.rooms.palette}</span>
          <span aria-hidden className="contents">
            <kbd className="font-mono text-xs font-normal text-ink-2 max-mid:hidden">{written("Mod+K")}</kbd>
          </span>
          <Command size={14} aria-hidden className="mid:hidden" />
        </Button>
      </div>
    </div>
  );
}
