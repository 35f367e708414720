/** One key: whose, where it comes from, whether it works, and the way to be rid of it. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Schema } from "../../api/http.js";
import { useStudio } from "../../studio/context.js";
import { moment } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { Told, useTesting } from "./testing.js";

export function KeyRow({ of: key }: { of: Schema<"Key"> }) {
  const { keys } = texts.settings;
  const testing = useTesting();
  const [deleting, setDeleting] = useState(false);
  return (
    <li className="flex flex-col gap-1 border-b border-line px-3 py-2 last:border-0">
      <div className="flex flex-wrap items-center gap-2 text-sm">
        <span className="font-medium">{key.name}</span>
        {key.masked && <code className="font-mono text-xs text-ink-2">{key.masked}</code>}
        <span className="ml-auto flex gap-1">
          <Button small busy={testing.busy} onClick={() => void testing.test(key.name)}>
            {keys.test}
            <span className="sr-only">{key.name}</span>
          </Button>
          {key.masked && (
            <Button small kind="danger" onClick={() => setDeleting(true)}>
              {keys.delete}
              <span className="sr-only">{key.name}</span>
            </Button>
          )}
        </span>
      </div>
      <p className="text-xs text-ink-2">
        {key.variable && keys.inEnvironment(key.variable)}{" "}
        {key.masked && keys.kept(moment(key.at), key.destination)} {key.variable && key.masked && keys.wins}
      </p>
      <Told told={testing.told} />
      {deleting && <DeleteKey name={key.name} onClose={() => setDeleting(false)} />}
    </li>
  );
}

function DeleteKey({ name, onClose }: { name: string; onClose(): void }) {
  const { keys } = texts.settings;
  const { http } = useStudio();
  const queries = useQueryClient();
  const act = async () => {
    await http.delete("/api/keys/{name}", { path: { name } });
    void queries.invalidateQueries({ queryKey: ["keys"] });
    void queries.invalidateQueries({ queryKey: ["models"] });
    say(keys.deleted(name));
    onClose();
  };
  return (
    <Dialog title={keys.deleteIt(name)} about={keys.deleteWhat} open onClose={onClose}>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{texts.ui.cancel}</Button>
        <Button kind="danger" onClick={() => void act().catch(sayProblem)}>
          {keys.delete}
        </Button>
      </div>
    </Dialog>
  );
}
