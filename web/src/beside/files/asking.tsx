/** What is asked before files are made, moved or deleted. */
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { filesChanged } from "../pulse.js";
import type { Disk, Item } from "./disk.js";
import { PathDialog } from "./path-dialog.js";

export type Asked =
  | { what: "file" | "folder"; folder: string }
  | { what: "rename"; item: Item }
  | { what: "remove"; item: Item }
  | null;

interface Props {
  asked: Asked;
  disk: Disk;
  onClose(): void;
  onOpen(path: string): void;
  /** Something is not where it was; empty: it is nowhere any more. */
  onMoved(from: string, to: string): void;
}

export function Asking({ asked, disk, onClose, onOpen, onMoved }: Props) {
  const { files } = texts.beside;
  if (!asked) return null;
  if (asked.what === "remove")
    return <Removing item={asked.item} disk={disk} onClose={onClose} onMoved={onMoved} />;
  if (asked.what === "rename") {
    const { item } = asked;
    return (
      <PathDialog
        title={files.rename}
        action={files.renameDo}
        start={item.path}
        onClose={onClose}
        onDone={async (to) => {
          if (to === item.path) return;
          await disk.move(item, to);
          say(files.moved(to), {
            undo: () => void disk.move({ ...item, path: to }, item.path).then(filesChanged, sayProblem),
          });
          onMoved(item.path, to);
          filesChanged();
        }}
      />
    );
  }
  const { what, folder } = asked;
  return (
    <PathDialog
      title={what === "file" ? files.newFile : files.newFolder}
      action={files.make}
      start={folder ? `${folder}/` : ""}
      onClose={onClose}
      onDone={async (path) => {
        if (what === "folder") await disk.makeFolder(path);
        else {
          await disk.write(path, "", "");
          onOpen(path);
        }
        filesChanged();
      }}
    />
  );
}

function Removing({
  item,
  disk,
  onClose,
  onMoved,
}: Pick<Props, "disk" | "onClose" | "onMoved"> & { item: Item }) {
  const { files } = texts.beside;
  const { path, kind } = item;
  const remove = async () => {
    onClose();
    const bytes = kind === "file" ? await disk.bytes(path).catch(() => null) : null;
    await disk.remove(item);
    const back = bytes && (() => void disk.upload(path, bytes, "").then(filesChanged, sayProblem));
    say(files.removed(path), back ? { undo: back } : {});
    onMoved(path, "");
    filesChanged();
  };
  return (
    <Dialog
      title={files.removeTitle(path)}
      about={kind === "folder" ? files.removeFolder : files.removeFile}
      open
      onClose={onClose}
    >
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button kind="danger" onClick={() => void remove().catch(sayProblem)}>
          {files.remove}
        </Button>
      </div>
    </Dialog>
  );
}
