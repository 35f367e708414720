/** What proves to be the person: browsers, programs and links that are good. Each can be ended. */
import { useQueryClient } from "@tanstack/react-query";
import { signOut } from "../../api/leaving.js";
import { useAnswer, useStudio } from "../../studio/context.js";
import { moment } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { Loaded } from "../one/group.js";

export function Browsers() {
  const { passes } = texts.settings;
  const { http, root } = useStudio();
  const queries = useQueryClient();
  const found = useAnswer(["passes"], (studio, signal) => studio.http.get("/api/passes", { signal }));
  const end = async (id: string, own: boolean) => {
    if (own) return signOut(http, root);
    await http.delete("/api/passes/{pass_id}", { path: { pass_id: id } });
    await queries.invalidateQueries({ queryKey: ["passes"] });
    say(passes.ended);
  };
  return (
    <Loaded of={found}>
      {(answer) => (
        <ul className="rounded-panel border border-line bg-surface">
          {answer.passes.map((each) => (
            <li
              key={each.id}
              className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2 text-sm last:border-0"
            >
              <span className="font-medium">{passes.kinds[each.kind]}</span>
              {each.is_this && <span className="text-xs text-good">{passes.this}</span>}
              <span className="text-xs text-ink-2">
                {passes.since(moment(each.created_at), moment(each.expires_at))}
              </span>
              <Button
                small
                className="ml-auto"
                onClick={() => void end(each.id, each.is_this).catch(sayProblem)}
              >
                {each.is_this ? passes.signOut : passes.end}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}
