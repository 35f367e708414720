/** The terminals of a project: the person's own, and those that agents of their sessions have open. */
import { useQueryClient } from "@tanstack/react-query";
import { Problem, type Schema } from "../../api/http.js";
import { useAnswer, useStudio } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";
import { useEachPulse } from "../pulse.js";

export type Shell = Schema<"ShellShape">;

/** So often the list is looked at while it is seen: shells of agents come and go. */
const OFTEN = 4_000;

export function useShells(projectId: string, shown: boolean) {
  const { http, connection } = useStudio();
  const queries = useQueryClient();
  const connected = useWatch(connection) === "open";
  const key = ["shells", projectId];
  const path = { project_id: projectId };
  const { data, error, refetch } = useAnswer(
    key,
    ({ http }, signal) => http.get("/api/projects/{project_id}/shells", { path, signal }),
    { enabled: shown && connected, ...(shown && connected ? { every: OFTEN } : {}) },
  );
  const again = () => queries.invalidateQueries({ queryKey: key });
  useEachPulse(() => void again());
  return {
    shells: data?.shells,
    error,
    again: () => void refetch(),
    async open(container: string, network: boolean): Promise<Shell> {
      const body = { container, columns: 80, rows: 24, network };
      const shell = await http.post("/api/projects/{project_id}/shells", { path, body });
      await again();
      return shell;
    },
    async close(shell: Shell): Promise<void> {
      try {
        await http.delete("/api/projects/{project_id}/shells/{shell_id}", {
          path: { ...path, shell_id: shell.id },
        });
      } catch (error) {
        if (!(error instanceof Problem) || error.status !== 404) throw error;
      } finally {
        await again();
      }
    },
  };
}

/** Shell 1, Shell 2 …, and what an agent's runs. */
export function named(shells: Shell[]): { shell: Shell; name: string }[] {
  const { terminal } = texts.beside;
  let n = 0;
  return shells.map((shell) => ({
    shell,
    name: shell.session_id ? `${terminal.agents} ${shell.command}`.trim() : terminal.own(++n),
  }));
}
