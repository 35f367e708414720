/** Sends a draft: into the session, or into one that is begun for it. What could not be sent is never lost. */
import { useContext, useState } from "react";
import { Problem } from "../api/client.js";
import type { Content } from "../session/store.js";
import { useNext } from "../studio/answers.js";
import { SessionContext, useStudio } from "../studio/context.js";
import type { Effort } from "./around.js";

export interface Sender {
  /** A session is being begun. */
  beginning: boolean;
  /** Why none could be begun. */
  problem: string;
  /** True once a session has it: what was written may go. */
  send(content: Content, steer: boolean, effort?: Effort): Promise<boolean>;
}

export function useSender(): Sender {
  const studio = useStudio();
  const store = useContext(SessionContext);
  const { project, container } = useNext(!store);
  const [beginning, setBeginning] = useState(false);
  const [problem, setProblem] = useState("");

  const send = async (content: Content, steer: boolean, effort: Effort = ""): Promise<boolean> => {
    const wishes = { ...(steer ? { steer } : {}), ...(effort ? { wishes: { effort } } : {}) };
    if (store) {
      // Whatever becomes of it, the session keeps it and shows it.
      store.prompt(content, wishes).catch(() => {});
      return true;
    }
    setBeginning(true);
    setProblem("");
    try {
      const where = project && { project_id: project.id, container };
      const tab = await studio.newSession({ ...studio.wish.value, ...where });
      tab.store.prompt(content, wishes).catch(() => {});
      return true;
    } catch (error) {
      setProblem(error instanceof Problem ? error.message : String(error));
      return false;
    } finally {
      setBeginning(false);
    }
  };
  return { beginning, problem, send };
}
