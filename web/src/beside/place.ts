/** Where the files and terminals beside the conversation are: the folder of the session, or of the one to come. */

import { useContext } from "react";
import type { Schema } from "../api/http.js";
import { useNext } from "../studio/answers.js";
import { SessionContext } from "../studio/context.js";
import { useWatch, Watch } from "../studio/watch.js";

export interface Place {
  projectId: string;
  name: string;
  /** The project's folder on the server. */
  folder: string;
  /** The subfolder that is worked in, from the project; empty: all of it. */
  container: string;
}

type Project = Pick<Schema<"ProjectShape">, "id" | "name" | "folder">;
export type Where = { state: "loading" | "none" | "outside" } | { state: "failed"; problem: Error } | Place;

const NOBODY = new Watch<Schema<"SessionShape"> | null>(null);

export function usePlace(): Where & { again(): void } {
  const session = useContext(SessionContext);
  const about = useWatch(session?.about ?? NOBODY);
  const { projects, project, container } = useNext();
  const { data, error, refetch } = projects;
  const again = () => void refetch();
  if (!data) return error ? { state: "failed", problem: error, again } : { state: "loading", again };
  if (session) {
    if (!about) return { state: "loading", again };
    const own = data.projects.find(({ id }) => id === about.project_id);
    return own ? { ...placed(own, about.container), again } : { state: "outside", again };
  }
  if (!project) return { state: "none", again };
  return { ...placed(project, container), again };
}

function placed({ id, name, folder }: Project, container: string): Place {
  return { projectId: id, name, folder, container };
}

/** A path as tools name it, seen from the project; null: it is not in it. */
export function within(place: Place, path: string): string | null {
  if (path.startsWith("/")) {
    return path.startsWith(`${place.folder}/`) ? tidied(path.slice(place.folder.length + 1)) : null;
  }
  return tidied(place.container ? `${place.container}/${path}` : path);
}

function tidied(path: string): string | null {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined) return null;
  }
  return names.join("/");
}
