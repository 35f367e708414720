/** The project that a prompt is about: the session's, or that of the session to come. */
import { useContext } from "react";
import type { About } from "../session/store.js";
import { SessionContext, useAnswer, useStudio } from "../studio/context.js";
import { useWatch, Watch } from "../studio/watch.js";

const NO_ABOUT = new Watch<About | null>(null);

export interface Place {
  projectId: string;
  /** The subfolder of it that is worked in; empty: all of it. */
  container: string;
}

export function useProjects() {
  return useAnswer(["projects"], async (studio) => (await studio.http.get("/api/projects")).projects, {
    stale: 30_000,
  });
}

export function usePlace(): Place | null {
  const studio = useStudio();
  const store = useContext(SessionContext);
  const about = useWatch(store?.about ?? NO_ABOUT);
  const wish = useWatch(studio.wish);
  const projects = useProjects().data ?? [];
  if (!store) {
    const projectId = wish.project_id || projects[0]?.id;
    return projectId ? { projectId, container: wish.container ?? "" } : null;
  }
  const folder = about?.folder ?? "";
  const [project] = projects
    .filter((each) => folder === each.folder || folder.startsWith(`${each.folder}/`))
    .sort((a, b) => b.folder.length - a.folder.length);
  return project ? { projectId: project.id, container: folder.slice(project.folder.length + 1) } : null;
}

/** A path of the project as the agent says it: from the folder that it works in. */
export function fromHere({ container }: Place, path: string): string {
  return container && path.startsWith(`${container}/`) ? path.slice(container.length + 1) : path;
}

/** A path from the folder that is worked in, as the project has it. */
export function inProject({ container }: Place, path: string): string {
  return container ? `${container}/${path}` : path;
}
