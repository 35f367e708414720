/** What no prompt holds can be a file of the project, which the prompt mentions. */
import { useState } from "react";
import { Problem, reason } from "../../api/http.js";
import { useStudio } from "../../studio/context.js";
import { bytes } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { Field } from "../../ui/field.js";
import { say } from "../../ui/toasts.js";
import { inProject, usePlace } from "../place.js";
import type { TooMuch } from "./use-attach.js";

interface Props {
  what: TooMuch;
  onClose(): void;
  /** Its path from the folder that is worked in. */
  onSaved(path: string): void;
}

export function SaveDialog({ what, onClose, onSaved }: Props) {
  const { composer } = texts;
  const studio = useStudio();
  const place = usePlace();
  const [path, setPath] = useState(what.name);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const large = what.why === "large";
  const size = bytes(what.body.size);
  const save = async () => {
    if (!place || busy) return;
    setBusy(true);
    setProblem("");
    try {
      await studio.http.upload("/api/projects/{project_id}/upload", what.body, {
        path: { project_id: place.projectId },
        query: { path: inProject(place, path.trim()) },
      });
      say(composer.savedFile(path.trim()));
      onSaved(path.trim());
    } catch (error) {
      const taken = error instanceof Problem && error.status === 409;
      setProblem(taken ? composer.exists : reason(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={large ? composer.tooLarge : composer.notText}
      about={(large ? composer.tooLargeAbout : composer.notTextAbout)(what.name, size)}
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Field
          label={composer.path}
          value={path}
          disabled={!place}
          onChange={(event) => setPath(event.target.value)}
          problem={place ? problem : composer.noProject}
        />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.ui.cancel}</Button>
          <Button kind="main" type="submit" busy={busy} disabled={!place || !path.trim()}>
            {busy ? composer.saving : composer.saveFile}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
