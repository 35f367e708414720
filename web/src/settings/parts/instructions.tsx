/** What every agent is told, in the host's words. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { reason } from "../../api/http.js";
import { useAnswer, useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { TextField } from "../../ui/field.js";
import { say } from "../../ui/toasts.js";
import { Loaded } from "../one/group.js";
import { isFixed, Source, type SourceName } from "../one/source.js";

export function Instructions() {
  const found = useAnswer(["instructions"], ({ http }, signal) => http.get("/api/instructions", { signal }));
  return (
    <Loaded of={found}>{({ instructions, source }) => <Edit stands={instructions} source={source} />}</Loaded>
  );
}

function Edit({ stands, source }: { stands: string; source: SourceName }) {
  const words = texts.settings.instructions;
  const { http } = useStudio();
  const queries = useQueryClient();
  const [draft, setDraft] = useState(stands);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => setDraft(stands), [stands]);
  const fixed = isFixed(source);
  const save = async () => {
    setBusy(true);
    setProblem("");
    try {
      const told = await http.put("/api/instructions", { body: { instructions: draft } });
      queries.setQueryData(["instructions"], told);
      say(words.saved);
    } catch (error) {
      setProblem(reason(error));
    }
    setBusy(false);
  };
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label={words.label}
        about={words.about}
        problem={problem || undefined}
        rows={14}
        value={draft}
        disabled={fixed}
        onChange={(event) => setDraft(event.target.value)}
        className="font-mono text-sm"
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="main" busy={busy} disabled={draft === stands || fixed} onClick={() => void save()}>
          {texts.settings.save}
        </Button>
        {draft !== stands && (
          <Button kind="quiet" onClick={() => setDraft(stands)}>
            {texts.ui.cancel}
          </Button>
        )}
        <Source of={source} name="instructions" />
        <span className="text-xs text-ink-3">{fixed ? texts.settings.fixed : texts.settings.fromNow}</span>
      </div>
    </div>
  );
}
