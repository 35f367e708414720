/** The processes that run sessions: their state, and the way to have one begin anew. */
import { useQueryClient } from "@tanstack/react-query";
import { Problem } from "../../api/http.js";
import { useAnswer, useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { Loaded } from "../one/group.js";

export function Workers() {
  const { workers } = texts.settings;
  const { http } = useStudio();
  const queries = useQueryClient();
  const found = useAnswer(["workers"], (studio, signal) => studio.http.get("/api/workers", { signal }), {
    every: 3_000,
  });
  const restart = async (id: string) => {
    await http.post("/api/workers/{worker_id}/restart", { path: { worker_id: id } });
    say(workers.restarting(id));
    await queries.invalidateQueries({ queryKey: ["workers"] });
  };
  const told = (error: unknown) =>
    error instanceof Problem && error.status === 409 ? say(workers.alone, { bad: true }) : sayProblem(error);
  return (
    <Loaded of={found}>
      {(answer) => (
        <ul className="rounded-panel border border-line bg-surface">
          {answer.workers.map((each) => (
            <li
              key={each.id}
              className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2 text-sm last:border-0"
            >
              <span className="font-medium">{each.id}</span>
              <span className={each.state === "running" ? "text-good" : "text-care"}>
                {workers.states[each.state]}
              </span>
              <span className="text-xs text-ink-2">
                {workers.about(each.pid, each.sessions, each.restarts)}
              </span>
              <Button small className="ml-auto" onClick={() => void restart(each.id).catch(told)}>
                {workers.restart}
              </Button>
            </li>
          ))}
          {!answer.workers.length && <li className="px-3 py-2 text-sm text-ink-2">{workers.none}</li>}
        </ul>
      )}
    </Loaded>
  );
}
