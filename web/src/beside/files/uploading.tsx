/** Files that are brought in: one after the other, with a way to stop, and a question before anything is replaced. */
import { type ReactNode, useRef, useState } from "react";
import { Problem } from "../../api/client.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { filesChanged } from "../pulse.js";
import type { Disk } from "./disk.js";

interface Wanted {
  path: string;
  bytes: File;
  version: string;
}

interface Uploads {
  start(folder: string, files: Iterable<File>): void;
  /** Progress and question, where there is something to say. */
  shown: ReactNode;
}

export function useUploads(disk: Disk): Uploads {
  const { files } = texts.beside;
  const [progress, setProgress] = useState<{ n: number; of: number } | null>(null);
  const [taken, setTaken] = useState<Wanted[]>([]);
  const stop = useRef<AbortController | null>(null);

  const bring = async (wanted: Wanted[]) => {
    const control = new AbortController();
    stop.current = control;
    const there: Wanted[] = [];
    let done = 0;
    for (const [n, each] of wanted.entries()) {
      setProgress({ n: n + 1, of: wanted.length });
      try {
        await disk.upload(each.path, each.bytes, each.version, control.signal);
        done++;
      } catch (error) {
        if (control.signal.aborted) break;
        if (error instanceof Problem && error.status === 409 && error.version)
          there.push({ ...each, version: error.version });
        else sayProblem(error);
      }
    }
    setProgress(null);
    setTaken(there);
    if (done) say(files.uploaded(done));
    filesChanged();
  };

  const start = (folder: string, given: Iterable<File>) => {
    const wanted = [...given].map((bytes) => ({
      path: folder ? `${folder}/${bytes.name}` : bytes.name,
      bytes,
      version: "",
    }));
    if (wanted.length) void bring(wanted);
  };
  const close = () => setTaken([]);
  const shown = (
    <>
      {progress && (
        <div role="status" className="flex items-center gap-2 border-t border-line px-3 py-1.5 text-sm">
          <progress
            aria-label={files.uploading(progress.n, progress.of)}
            max={progress.of}
            value={progress.n - 1}
            className="h-1 min-w-0 flex-1"
          />
          {files.uploading(progress.n, progress.of)}
          <Button small onClick={() => stop.current?.abort()}>
            {texts.ui.cancel}
          </Button>
        </div>
      )}
      <Dialog title={files.replaceTitle(taken.length)} open={taken.length > 0} onClose={close}>
        <ul className="mb-3 max-h-60 overflow-y-auto font-mono text-sm">
          {taken.map(({ path }) => (
            <li key={path} className="truncate">
              {path}
            </li>
          ))}
        </ul>
        <div className="flex justify-end gap-2">
          <Button onClick={close}>{texts.ui.cancel}</Button>
          <Button
            kind="danger"
            onClick={() => {
              close();
              void bring(taken);
            }}
          >
            {files.replace}
          </Button>
        </div>
      </Dialog>
    </>
  );
  return { start, shown };
}
