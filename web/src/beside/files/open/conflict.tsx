/** Somebody else changed the file: both sides as a difference, and every way out. Nothing is lost on any of them. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Diff } from "../../../prose/diff.js";
import { texts } from "../../../texts/texts.js";
import { Button } from "../../../ui/button.js";
import { sayProblem } from "../../../ui/toasts.js";
import type { Disk } from "../disk.js";
import { PathDialog } from "../path-dialog.js";
import type { OpenFile } from "./use-file.js";

interface Props {
  open: OpenFile;
  disk: Disk;
  path: string;
  onOpen(path: string): void;
}

export function Conflict({ open, disk, path, onOpen }: Props) {
  const { files } = texts.beside;
  const [naming, setNaming] = useState(false);
  const { data, error } = useQuery({
    queryKey: ["conflict", disk.projectId, path],
    queryFn: () => disk.compare(path, open.text()),
    gcTime: 0,
    staleTime: 0,
  });
  const over = () => void open.save(data?.version ?? "").catch(sayProblem);
  const theirs = () => void open.discard().catch(sayProblem);
  return (
    <section aria-label={files.conflict} className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3">
      <div role="alert">
        <h3 className="text-base font-semibold text-care">{files.conflict}</h3>
        <p className="text-sm text-ink-2">{data && !data.text ? files.same : files.conflictHint}</p>
      </div>
      {error && <p className="text-sm text-ink-2">{error.message}</p>}
      {data?.text && <Diff diff={data.text} path={path} />}
      <div className="flex flex-wrap gap-2">
        <Button kind="main" disabled={!data && !error} onClick={theirs}>
          {files.takeTheirs}
        </Button>
        <Button kind="danger" busy={open.saving} disabled={!data} onClick={over}>
          {files.overwrite}
        </Button>
        <Button onClick={() => setNaming(true)}>{files.saveAs}</Button>
        <Button kind="quiet" onClick={() => open.compare(false)}>
          {files.keepEditing}
        </Button>
      </div>
      {naming && (
        <PathDialog
          title={files.saveAs}
          action={files.save}
          start={besides(path)}
          onClose={() => setNaming(false)}
          onDone={async (to) => {
            await open.saveAs(to);
            await open.discard();
            onOpen(to);
          }}
        />
      )}
    </section>
  );
}

/** `a/b.txt` → `a/b.mine.txt` */
function besides(path: string): string {
  const cut = path.lastIndexOf("/") + 1;
  const name = path.slice(cut);
  const dot = name.lastIndexOf(".");
  return path.slice(0, cut) + (dot > 0 ? `${name.slice(0, dot)}.mine${name.slice(dot)}` : `${name}.mine`);
}
