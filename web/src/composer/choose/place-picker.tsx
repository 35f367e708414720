/** Where a new session works: a project, or a folder in it. */

import { Folder, FolderOpen } from "lucide-react";
import { useNext } from "../../studio/answers.js";
import { useAnswer, useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Chooser, type ChooserOption, type Opened } from "./chooser.js";
import { Pill } from "./pill.js";

/** Neither a project's id nor a folder's path holds it. */
const BETWEEN = "\n";

export function PlacePicker(opened: Opened) {
  const { composer } = texts;
  const studio = useStudio();
  const { projects, project, container: chosen } = useNext();
  const list = projects.data?.projects ?? [];
  const containers = useContainers(project?.id ?? "", opened.open);
  const options: ChooserOption[] = list.map(({ id, name, folder }) => ({
    id,
    words: `${name} ${folder}`,
    group: composer.projects,
    label: name,
    about: <span className="font-mono">{folder}</span>,
    icon: <Folder size={14} aria-hidden />,
    chosen: id === project?.id && !chosen,
  }));
  for (const container of containers)
    options.push({
      id: `${project?.id}${BETWEEN}${container}`,
      words: container,
      group: composer.containers(project?.name ?? ""),
      label: container,
      chosen: container === chosen,
    });
  const pick = (id: string) => {
    const [project_id = "", container = ""] = id.split(BETWEEN);
    studio.wish.set({ ...studio.wish.value, project_id, container });
  };
  const word = project ? [project.name, chosen].filter(Boolean).join("/") : composer.noProject;
  if (projects.isPending) return null;
  return (
    <Chooser
      {...opened}
      label={composer.place}
      search={composer.placeSearch}
      options={options}
      onPick={pick}
      foot={projects.isError ? composer.failed : undefined}
      button={
        <Pill
          name={composer.place}
          word={word}
          icon={<FolderOpen size={14} className="shrink-0" aria-hidden />}
        />
      }
    />
  );
}

function useContainers(id: string, enabled: boolean): string[] {
  const page = useAnswer(
    ["projects", id],
    (studio) => studio.http.get("/api/projects/{project_id}", { path: { project_id: id } }),
    { enabled: enabled && id !== "", stale: 30_000 },
  );
  return page.data?.containers ?? [];
}
