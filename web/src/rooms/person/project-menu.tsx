/** Which project the list shows, and new sessions begin in. */

import { Folder } from "lucide-react";
import { useEffect } from "react";
import { useProjects } from "../../studio/answers.js";
import { useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Menu, MenuChoice, MenuOption } from "../../ui/menu.js";

export function ProjectMenu({ project, onChange }: { project: string; onChange(next: string): void }) {
  const studio = useStudio();
  const projects = useProjects().data?.projects;
  const { rooms } = texts;
  const known = projects?.find(({ id }) => id === project);
  // A project that is gone hides nothing.
  useEffect(() => {
    if (projects && project && !projects.some(({ id }) => id === project)) onChange("");
  }, [projects, project, onChange]);
  useEffect(() => {
    if (project !== (studio.wish.value.project_id ?? ""))
      studio.wish.set({ ...studio.wish.value, project_id: project, container: "" });
  }, [studio, project]);
  const button = (
    <button
      type="button"
      className="flex h-8 w-full min-w-0 items-center gap-2 rounded-control px-2 text-left text-sm text-ink-2 hover:bg-sunken hover:text-ink max-mid:h-11"
    >
      <Folder size={16} aria-hidden className="shrink-0" />
      <span className="sr-only">{rooms.project}</span>
      <span className="min-w-0 flex-1 truncate">{known?.name ?? rooms.allProjects}</span>
    </button>
  );
  return (
    <Menu button={button}>
      <MenuChoice value={known ? project : ""} onChange={onChange}>
        <MenuOption value="">{rooms.allProjects}</MenuOption>
        {projects?.map((each) => (
          <MenuOption key={each.id} value={each.id} about={each.folder}>
            {each.name}
          </MenuOption>
        ))}
      </MenuChoice>
    </Menu>
  );
}
