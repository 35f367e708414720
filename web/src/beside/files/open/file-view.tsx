/** One file: its bar, and its text in the editor, or a picture, or what else there is to say about it. */
import { Download, Ellipsis, PanelTop, Save, Search, Undo2, WrapText, X } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { written } from "../../../studio/commands.js";
import { useKept } from "../../../studio/kept.js";
import { bytes } from "../../../texts/figures.js";
import { texts } from "../../../texts/texts.js";
import { Button } from "../../../ui/button.js";
import { saveFrom } from "../../../ui/download.js";
import { IconButton } from "../../../ui/icon-button.js";
import { Menu, MenuItem } from "../../../ui/menu.js";
import { pictureType } from "../../../ui/picture-type.js";
import { ProblemBox } from "../../../ui/problem.js";
import { sayProblem } from "../../../ui/toasts.js";
import { Empty } from "../../empty.js";
import type { Disk } from "../disk.js";
import { Conflict } from "./conflict.js";
import { Picture } from "./picture.js";
import { Pieces } from "./pieces.js";
import { type OpenFile, useFile } from "./use-file.js";

const Editor = lazy(() => import("./editor.js"));

interface Props {
  disk: Disk;
  path: string;
  line: { number: number } | null;
  tree: boolean;
  onTree(): void;
  onClose(): void;
  onOpen(path: string): void;
}

export function FileView({ disk, path, line, tree, onTree, onClose, onOpen }: Props) {
  const open = useFile(disk, path);
  const [wrap, setWrap] = useKept("files.wrap", false);
  const [searching, setSearching] = useState(0);
  const { files } = texts.beside;
  const { file } = open;
  const editable = file !== null && !file.binary && file.next === file.size && file.offset === 0;
  const save = () => void open.save().catch(sayProblem);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: saves wherever in the file the focus is
    <div
      className="flex min-h-0 flex-1 flex-col"
      onKeyDown={(event) => {
        if (event.key !== "s" || !(event.metaKey || event.ctrlKey) || event.defaultPrevented) return;
        event.preventDefault();
        if (open.dirty) save();
      }}
    >
      <div className="flex h-9 shrink-0 items-center gap-0.5 border-b border-line pr-1 pl-1 max-mid:h-12">
        <IconButton label={tree ? files.hideTree : files.showTree} pressed={!tree} onClick={onTree}>
          <PanelTop size={15} aria-hidden />
        </IconButton>
        <Name path={path} />
        <p role="status" className="sr-only">
          {open.saving ? files.saving : open.dirty ? files.notSaved : ""}
        </p>
        {editable && open.dirty && (
          <Button small kind="main" icon={<Save size={13} aria-hidden />} busy={open.saving} onClick={save}>
            {files.save}
          </Button>
        )}
        <Menu
          align="end"
          button={
            <IconButton label={files.more}>
              <Ellipsis size={15} aria-hidden />
            </IconButton>
          }
        >
          {editable && (
            <>
              <MenuItem
                icon={<Search size={15} aria-hidden />}
                hint={written("Mod+F")}
                onSelect={() => setSearching(searching + 1)}
              >
                {files.search}
              </MenuItem>
              <MenuItem icon={<WrapText size={15} aria-hidden />} onSelect={() => setWrap(!wrap)}>
                {wrap ? files.noWrap : files.wrap}
              </MenuItem>
            </>
          )}
          <MenuItem icon={<Download size={15} aria-hidden />} onSelect={() => saveFrom(disk.address(path))}>
            {files.download}
          </MenuItem>
          {open.dirty && (
            <MenuItem
              danger
              icon={<Undo2 size={15} aria-hidden />}
              onSelect={() => void open.discard().catch(sayProblem)}
            >
              {files.discard}
            </MenuItem>
          )}
        </Menu>
        <IconButton label={files.close} onClick={onClose}>
          <X size={15} aria-hidden />
        </IconButton>
      </div>
      {open.parted && !open.comparing && <Parted open={open} />}
      <Body
        {...{ disk, path, line, open, wrap, searching, editable, onOpen }}
        onSave={() => open.dirty && save()}
      />
    </div>
  );
}

function Name({ path }: { path: string }) {
  const cut = path.lastIndexOf("/") + 1;
  return (
    <h2 title={path} className="flex min-w-0 flex-1 px-1 text-sm font-medium">
      <span className="min-w-0 truncate font-normal text-ink-3">{path.slice(0, cut)}</span>
      <span className="max-w-full shrink-0 truncate">{path.slice(cut)}</span>
    </h2>
  );
}

/** It is another one on disk, and there are edits. */
function Parted({ open }: { open: OpenFile }) {
  const { files } = texts.beside;
  const gone = open.parted === "gone";
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-2 border-b border-care/50 px-3 py-1.5 text-sm text-care"
    >
      <p className="min-w-0 flex-1 basis-40">{gone ? `${files.gone} ${files.goneHint}` : files.changed}</p>
      {gone ? (
        <Button small onClick={() => void open.save("").catch(sayProblem)}>
          {files.goneSave}
        </Button>
      ) : (
        <Button small onClick={() => open.compare(true)}>
          {files.compare}
        </Button>
      )}
    </div>
  );
}

interface BodyProps extends Pick<Props, "disk" | "path" | "line" | "onOpen"> {
  open: OpenFile;
  wrap: boolean;
  searching: number;
  editable: boolean;
  onSave(): void;
}

function Body({ disk, path, line, open, wrap, searching, editable, onSave, onOpen }: BodyProps) {
  const { beside, ui } = texts;
  const { files } = beside;
  const { file, problem } = open;
  if (problem)
    return (
      <div className="p-3">
        <ProblemBox
          title={beside.failed}
          detail={problem.message}
          action={{ label: ui.again, run: () => void open.load() }}
        />
      </div>
    );
  const waiting = <p className="p-4 text-sm text-ink-3">{ui.loading}</p>;
  if (!file) return waiting;
  if (open.comparing) return <Conflict open={open} disk={disk} path={path} onOpen={onOpen} />;
  if (pictureType(path) && file.binary)
    return <Picture key={file.version} disk={disk} path={path} version={file.version} />;
  if (file.binary) return <Empty title={files.binary} hint={files.binaryHint(bytes(file.size))} />;
  if (!editable) return <Pieces key={file.version} disk={disk} first={file} />;
  return (
    <Suspense fallback={waiting}>
      <Editor
        path={path}
        ends={file.ends}
        shown={open.shown}
        begin={open.text}
        saved={file.content}
        wrap={wrap}
        line={line}
        searching={searching}
        onEdit={open.edit}
        onSave={onSave}
      />
    </Suspense>
  );
}
