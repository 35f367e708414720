/** One rule: a verdict, and what it is about. What is wrong with it is told by the server, and nothing is written. */

import { type FormEvent, useState } from "react";
import { reason } from "../../api/http.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { Field } from "../../ui/field.js";
import { ProblemBox } from "../../ui/problem.js";
import { Choice, Switch } from "../one/choice.js";
import type { Rule } from "./rules.js";

const ABOUT = ["", "path", "command", "url"] as const;
type Of = (typeof ABOUT)[number];

interface Props {
  rule: Rule;
  fresh: boolean;
  save(rule: Rule): Promise<void>;
  onClose(): void;
}

export function RuleForm({ rule, fresh, save, onClose }: Props) {
  const words = texts.settings.rules;
  const [verdict, setVerdict] = useState(rule.verdict);
  const [tool, setTool] = useState(rule.tool ?? "");
  const [about, setAbout] = useState<Of>(ABOUT.find((each) => each && rule[each]) ?? "");
  const [pattern, setPattern] = useState(about ? (rule[about] ?? "") : "");
  const [network, setNetwork] = useState(rule.network ?? false);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await save({ verdict, tool: tool.trim(), network, ...(about ? { [about]: pattern.trim() } : {}) });
      onClose();
    } catch (error) {
      setProblem(reason(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={fresh ? words.add : words.editIt} open onClose={onClose}>
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
        <Field
          label={words.tool}
          about={words.toolAbout}
          value={tool}
          onChange={(event) => setTool(event.target.value)}
          className="font-mono"
        />
        <Choice
          label={words.about}
          value={about}
          options={ABOUT.map((each) => [each, words.abouts[each || "any"]])}
          onChange={(next) => setAbout(next as Of)}
        />
        {about && (
          <Field
            label={words.patterns[about]}
            about={words.patternAbout[about]}
            value={pattern}
            onChange={(event) => setPattern(event.target.value)}
            className="font-mono"
          />
        )}
        <Switch label={words.network} about={words.networkAbout} on={network} onChange={setNetwork} />
        <Choice
          label={words.verdict}
          value={verdict}
          options={(["allow", "ask", "deny"] as const).map((each) => [each, words.verdictsLong[each]])}
          onChange={(next) => setVerdict(next as Rule["verdict"])}
        />
        {problem && <ProblemBox title={problem} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{texts.ui.cancel}</Button>
          <Button type="submit" kind="main" busy={busy}>
            {texts.settings.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
