/** Files of the project: the tree, and the file that is open. */
import { useQueryClient } from "@tanstack/react-query";
import { FilePlus, FolderPlus, Plus, RefreshCw, Upload } from "lucide-react";
import { type DragEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { useStudio } from "../../studio/context.js";
import { useKept } from "../../studio/kept.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";
import { IconButton } from "../../ui/icon-button.js";
import { Menu, MenuItem, MenuLine } from "../../ui/menu.js";
import { say } from "../../ui/toasts.js";
import { type Place, within } from "../place.js";
import { useEachPulse } from "../pulse.js";
import { type Asked, Asking } from "./asking.js";
import { Disk } from "./disk.js";
import { FileView } from "./open/file-view.js";
import { Split } from "./split.js";
import { Finder } from "./tree/finder.js";
import { Tree } from "./tree/tree.js";
import { useUploads } from "./uploading.js";

export function Files({ place }: { place: Place }) {
  const studio = useStudio();
  const { projectId, container } = place;
  const disk = useMemo(() => new Disk(studio.http, projectId), [studio, projectId]);
  const [shown, setShown] = useKept(`file.${projectId}`, "");
  const [line, setLine] = useState<{ number: number } | null>(null);
  const [tree, setTree] = useKept("files.tree", true);
  const [asked, ask] = useState<Asked>(null);
  const uploads = useUploads(disk);
  useRenewed(projectId);
  const open = (path: string, number?: number) => {
    setShown(path);
    setLine(number ? { number } : null);
  };

  const opened = useWatch(studio.opened);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new wish opens a file
  useEffect(() => {
    if (!opened) return;
    studio.opened.set(null);
    const path = within(place, opened.path);
    if (path) open(path, opened.line);
    else say(texts.beside.files.elsewhere(opened.path), { bad: true });
  }, [opened]);

  const moved = (from: string, to: string) => {
    if (shown === from) setShown(to);
    else if (shown.startsWith(`${from}/`)) setShown(to && to + shown.slice(from.length));
  };
  const list = (
    <Uploading into={container} start={uploads.start}>
      <Finder
        disk={disk}
        onOpen={open}
        beside={<Adding into={container} ask={ask} upload={uploads.start} projectId={projectId} />}
      >
        <Tree
          disk={disk}
          place={place}
          shown={shown}
          open={open}
          rename={(item) => ask({ what: "rename", item })}
          remove={(item) => ask({ what: "remove", item })}
          add={(what, folder) => ask({ what, folder })}
          upload={uploads.start}
        />
      </Finder>
      {uploads.shown}
    </Uploading>
  );
  const file = shown && (
    <FileView
      key={shown}
      disk={disk}
      path={shown}
      line={line}
      tree={tree}
      onTree={() => setTree(!tree)}
      onClose={() => setShown("")}
      onOpen={open}
    />
  );
  return (
    <>
      {file ? tree ? <Split first={list} second={file} /> : file : list}
      <Asking asked={asked} disk={disk} onClose={() => ask(null)} onOpen={open} onMoved={moved} />
    </>
  );
}

function useRenewed(projectId: string): void {
  const queries = useQueryClient();
  useEachPulse(() => void queries.invalidateQueries({ queryKey: ["files", projectId] }));
}

type Start = (folder: string, files: Iterable<File>) => void;

function Uploading({ into, start, children }: { into: string; start: Start; children: ReactNode }) {
  const [over, setOver] = useState(false);
  const dropped = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      start(into, event.dataTransfer.files);
    },
  };
  return (
    <div
      {...dropped}
      className={`relative flex min-h-0 flex-1 flex-col ${over ? "outline-2 -outline-offset-2 outline-accent" : ""}`}
    >
      {children}
      {over && (
        <p className="pointer-events-none absolute inset-x-0 bottom-0 bg-surface p-2 text-center text-sm text-accent">
          {texts.beside.files.uploadHere(into || texts.beside.files.root)}
        </p>
      )}
    </div>
  );
}

interface AddingProps {
  into: string;
  projectId: string;
  ask(asked: Asked): void;
  upload: Start;
}

function Adding({ into, projectId, ask, upload }: AddingProps) {
  const { files } = texts.beside;
  const field = useRef<HTMLInputElement>(null);
  const queries = useQueryClient();
  return (
    <>
      <Menu
        align="end"
        button={
          <IconButton label={files.add}>
            <Plus size={16} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem
          icon={<FilePlus size={15} aria-hidden />}
          onSelect={() => ask({ what: "file", folder: into })}
        >
          {files.newFile}
        </MenuItem>
        <MenuItem
          icon={<FolderPlus size={15} aria-hidden />}
          onSelect={() => ask({ what: "folder", folder: into })}
        >
          {files.newFolder}
        </MenuItem>
        <MenuItem icon={<Upload size={15} aria-hidden />} onSelect={() => field.current?.click()}>
          {files.upload}
        </MenuItem>
        <MenuLine />
        <MenuItem
          icon={<RefreshCw size={15} aria-hidden />}
          onSelect={() => void queries.invalidateQueries({ queryKey: ["files", projectId] })}
        >
          {files.refresh}
        </MenuItem>
      </Menu>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label={files.upload}
        onChange={(event) => {
          upload(into, [...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}
