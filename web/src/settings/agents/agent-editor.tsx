/** An agent as TOML: checked before it is written, with all that is wrong told at once. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { reason, type Schema } from "../../api/http.js";
import { useAnswer, useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { Field, TextField } from "../../ui/field.js";
import { ProblemBox } from "../../ui/problem.js";
import { say } from "../../ui/toasts.js";
import { Sentences } from "./agents.js";

interface Props {
  slug: string;
  /** It is the beginning of another one. */
  copy: boolean;
  onClose(): void;
}

export function AgentEditor({ slug, copy, onClose }: Props) {
  const words = texts.settings.agents;
  const [name, setName] = useState(copy ? (slug ? `my-${slug}` : "") : slug);
  const page = useAnswer(
    ["agents", slug],
    ({ http }, signal) => http.get("/api/agents/{slug}", { path: { slug }, signal }),
    { enabled: Boolean(slug), stale: 0 },
  );
  const [text, setText] = useState(slug ? "" : words.begin);
  const stands = page.data?.text;
  useEffect(() => {
    if (stands) setText(stands);
  }, [stands]);
  const acts = useWriting(name, text, onClose);
  return (
    <Dialog title={copy ? words.create : words.editIt(slug)} about={words.toml} open onClose={onClose} wide>
      <div className="flex flex-col gap-3">
        <Field
          label={words.slug}
          about={words.slugAbout}
          value={name}
          disabled={!copy}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={words.text}
          rows={18}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="font-mono text-xs"
        />
        <Verdict of={acts.judgement} problem={acts.problem} />
        <div className="flex flex-wrap justify-end gap-2">
          {!copy && <Delete acts={acts} />}
          <Button busy={acts.busy} onClick={() => void acts.check()}>
            {words.check}
          </Button>
          <Button
            kind="main"
            busy={acts.busy}
            disabled={!name || !text.trim()}
            onClick={() => void acts.write()}
          >
            {texts.settings.save}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

type Judgement = Schema<"Judgement">;

function useWriting(slug: string, text: string, onClose: () => void) {
  const words = texts.settings.agents;
  const { http } = useStudio();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const [judgement, setJudgement] = useState<Judgement | null>(null);
  const attempt = async (act: () => Promise<void>) => {
    setBusy(true);
    setProblem("");
    setJudgement(null);
    await act().catch((error: unknown) => setProblem(reason(error)));
    setBusy(false);
  };
  const done = (said: string) => {
    void queries.invalidateQueries({ queryKey: ["agents"] });
    say(said);
    onClose();
  };
  const judge = () => http.post("/api/agents/validate", { body: { text, slug } });
  return {
    busy,
    problem,
    judgement,
    check: () => attempt(async () => setJudgement(await judge())),
    write: () =>
      attempt(async () => {
        const found = await judge();
        if (!found.usable) return setJudgement(found);
        await http.put("/api/agents/{slug}", { path: { slug }, body: { text } });
        done(words.saved(slug));
      }),
    remove: () =>
      attempt(async () => {
        await http.delete("/api/agents/{slug}", { path: { slug } });
        done(words.deleted(slug));
      }),
  };
}

function Verdict({ of, problem }: { of: Judgement | null; problem: string }) {
  const words = texts.settings.agents;
  return (
    <div role="status" className="text-sm empty:hidden">
      {problem && <ProblemBox title={problem} />}
      {of && of.problems.length > 0 && (
        <ProblemBox title={words.wrong} detail={<Sentences of={of.problems} />} />
      )}
      {of?.usable && <p className="text-good">{words.fine}</p>}
      {of && of.notes.length > 0 && <Sentences of={of.notes} />}
    </div>
  );
}

function Delete({ acts }: { acts: ReturnType<typeof useWriting> }) {
  const words = texts.settings.agents;
  const [sure, setSure] = useState(false);
  return (
    <Button kind="danger" busy={acts.busy} onClick={() => (sure ? void acts.remove() : setSure(true))}>
      {sure ? words.reallyDelete : words.delete}
    </Button>
  );
}
