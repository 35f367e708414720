/** The rules, in their order: the last one that fits a call counts. */
import { useQueryClient } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Schema } from "../../api/http.js";
import { useAnswer, useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { IconButton } from "../../ui/icon-button.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { Loaded } from "../one/group.js";
import { Source } from "../one/source.js";
import { RuleForm } from "./rule-form.js";

export type Rule = Schema<"Rule">;

export function Rules() {
  const words = texts.settings.rules;
  const { http } = useStudio();
  const queries = useQueryClient();
  const [edited, setEdited] = useState<number | null>(null);
  const found = useAnswer(["rules"], (studio, signal) => studio.http.get("/api/rules", { signal }));
  const write = async (rules: Rule[]) => {
    queries.setQueryData(["rules"], await http.put("/api/rules", { body: { rules } }));
  };
  return (
    <Loaded of={found}>
      {({ rules, source }) => {
        const put = (next: Rule[]) => void write(next).catch(sayProblem);
        return (
          <>
            <div className="text-sm text-ink-2">
              <p>{words.explained}</p>
              <p className="mt-2 flex flex-wrap items-center gap-2 text-xs">
                <Source of={source} />
                {texts.settings.fromNow}
              </p>
            </div>
            {rules.length > 0 ? (
              <ol className="rounded-panel border border-line bg-surface">
                {rules.map((rule, place) => (
                  <One
                    key={`${place} ${JSON.stringify(rule)}`}
                    rule={rule}
                    place={place}
                    of={rules.length}
                    onEdit={() => setEdited(place)}
                    onMove={(by) => put(moved(rules, place, by))}
                    onDelete={() =>
                      void write(rules.filter((_, n) => n !== place)).then(
                        () => say(words.deleted, { undo: () => put(rules) }),
                        sayProblem,
                      )
                    }
                  />
                ))}
              </ol>
            ) : (
              <p className="text-sm text-ink-2">{words.none}</p>
            )}
            <div>
              <Button onClick={() => setEdited(rules.length)}>{words.add}</Button>
            </div>
            {edited !== null && (
              <RuleForm
                rule={rules[edited] ?? { verdict: "ask" }}
                fresh={edited >= rules.length}
                save={(rule) => write(rules.toSpliced(edited, edited < rules.length ? 1 : 0, rule))}
                onClose={() => setEdited(null)}
              />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

export function moved(rules: Rule[], place: number, by: number): Rule[] {
  const rule = rules[place];
  const next = place + by;
  if (!rule || next < 0 || next >= rules.length) return rules;
  return rules.toSpliced(place, 1).toSpliced(next, 0, rule);
}

const LOOKS = { allow: "text-good", ask: "text-care", deny: "text-bad" };

interface Props {
  rule: Rule;
  place: number;
  of: number;
  onEdit(): void;
  onMove(by: number): void;
  onDelete(): void;
}

function One({ rule, place, of, onEdit, onMove, onDelete }: Props) {
  const words = texts.settings.rules;
  const said = words.said(rule);
  return (
    <li className="flex items-center gap-2 border-b border-line px-3 py-1.5 text-sm last:border-0">
      <span className="w-5 text-xs text-ink-3 tabular-nums">{place + 1}</span>
      <span className={`w-12 font-medium ${LOOKS[rule.verdict]}`}>{words.verdicts[rule.verdict]}</span>
      <span className="min-w-0 flex-1 font-mono text-xs break-words">{said}</span>
      <IconButton label={words.up(place + 1)} disabled={place === 0} onClick={() => onMove(-1)}>
        <ArrowUp size={14} aria-hidden />
      </IconButton>
      <IconButton label={words.down(place + 1)} disabled={place === of - 1} onClick={() => onMove(1)}>
        <ArrowDown size={14} aria-hidden />
      </IconButton>
      <IconButton label={words.edit(place + 1)} onClick={onEdit}>
        <Pencil size={14} aria-hidden />
      </IconButton>
      <IconButton label={words.delete(place + 1)} onClick={onDelete}>
        <Trash2 size={14} aria-hidden />
      </IconButton>
    </li>
  );
}
