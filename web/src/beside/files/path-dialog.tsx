/** Asks for a path in the project; what the server says against it stands at the field. */

import { useEffect, useRef, useState } from "react";
import { reason } from "../../api/http.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { Field } from "../../ui/field.js";

interface Props {
  title: string;
  action: string;
  start: string;
  onClose(): void;
  /** Whatever it throws is said, and the dialog stays. */
  onDone(path: string): Promise<void>;
}

export function PathDialog({ title, action, start, onClose, onDone }: Props) {
  const { files } = texts.beside;
  const [path, setPath] = useState(start);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const cut = start.lastIndexOf("/") + 1;
    const dot = start.lastIndexOf(".");
    field.current?.setSelectionRange(cut, dot > cut ? dot : start.length);
  }, [start]);
  const done = async () => {
    setBusy(true);
    try {
      await onDone(path.trim().replace(/^\/+|\/+$/g, ""));
      onClose();
    } catch (error) {
      setProblem(reason(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} open onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void done();
        }}
      >
        <Field
          ref={field}
          label={files.path}
          about={files.pathHint}
          problem={problem}
          value={path}
          autoComplete="off"
          spellCheck={false}
          className="font-mono text-sm"
          onChange={(event) => setPath(event.target.value)}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.ui.cancel}</Button>
          <Button kind="main" type="submit" busy={busy} disabled={!path.trim() || path.endsWith("/")}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
