/** All that is stored of the person: taken along as one file, or deleted for good. */

import { useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { type FormEvent, useState } from "react";
import { reason } from "../../api/http.js";
import { useMe } from "../../studio/answers.js";
import { useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Field } from "../../ui/field.js";
import { say } from "../../ui/toasts.js";
import { Section } from "../one/group.js";

export function MyData() {
  const words = texts.settings.data;
  const { root } = useStudio();
  return (
    <>
      <Section title={words.take} about={words.takeAbout}>
        <div>
          <a
            href={`${root}/api/data`}
            download
            className="inline-flex h-8 items-center gap-1.5 rounded-control border border-edge bg-surface px-3 text-sm font-medium hover:bg-sunken max-mid:h-11"
          >
            <Download size={16} aria-hidden />
            {words.download}
          </a>
        </div>
      </Section>
      <Section title={words.delete} about={words.deleteAbout}>
        <DeleteAll />
      </Section>
      <p className="text-xs text-ink-2">{words.stays}</p>
    </>
  );
}

/** Only for whoever writes their own name. */
function DeleteAll() {
  const words = texts.settings.data;
  const { http } = useStudio();
  const queries = useQueryClient();
  const { data: me } = useMe();
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const name = me?.name ?? "";
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!name || typed !== name) return;
    setBusy(true);
    setProblem("");
    try {
      const { sessions } = await http.delete("/api/data", { body: { confirm: typed } });
      say(words.deleted(sessions));
      setTyped("");
      void queries.invalidateQueries();
    } catch (error) {
      setProblem(reason(error));
    }
    setBusy(false);
  };
  return (
    <form
      onSubmit={(event) => void submit(event)}
      className="flex flex-col gap-3 rounded-panel border border-line bg-surface p-3"
    >
      <Field
        label={words.confirm(name)}
        problem={problem || undefined}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div>
        <Button type="submit" kind="danger" busy={busy} disabled={!name || typed !== name}>
          {words.deleteAll}
        </Button>
      </div>
    </form>
  );
}
