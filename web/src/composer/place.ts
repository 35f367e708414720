/** The project that a prompt is about: the session's, or that of the session to come. */

import { useContext } from "react";
import type { About } from "../session/store.js";
import { useNext } from "../studio/answers.js";
import { SessionContext } from "../studio/context.js";
import { useWatch, Watch } from "../studio/watch.js";

const NO_ABOUT = new Watch<About | null>(null);

export interface Place {
  projectId: string;
  /** The subfolder of it that is worked in; empty: all of it. */
  container: string;
}

export function usePlace(): Place | null {
  const store = useContext(SessionContext);
  const about = useWatch(store?.about ?? NO_ABOUT);
  const next = useNext(!store);
  const projectId = store ? about?.project_id : next.project?.id;
  const container = store ? (about?.container ?? "") : next.container;
  return projectId ? { projectId, container } : null;
}

/** A path of the project as the agent says it: from the folder that it works in. */
export function fromHere({ container }: Place, path: string): string {
  return container && path.startsWith(`${container}/`) ? path.slice(container.length + 1) : path;
}

/** A path from the folder that is worked in, as the project has it. */
export function inProject({ container }: Place, path: string): string {
  return container ? `${container}/${path}` : path;
}
