"""Where in a project something happens: a container's real folder, found as every path is, by opening it beneath."""

import os
from collections.abc import Sequence

from bottega.errors import BadUsage, NotFound, Problem
from bottega.projects.projects import Project
from bottega.workspaces.confine import Root
from bottega.workspaces.problems import outside, shown


def open_project(project: Project) -> Root:
    """The project's folder, for the caller, who closes it. Waits for the disk."""
    try:
        return Root(project.folder)
    except Problem as problem:
        raise NotFound(
            f"The folder of the project {project.name!r} cannot be opened: {problem.message}",
            hint="Put it back, or remove the project: `bottega projects remove`.",
        ) from None


def folder_of(project: Project, container: str = "") -> str:
    """The real path of a container, or of the project itself; refuses what is no folder inside it.

    Waits for the disk.
    """
    if container.startswith("/"):
        raise outside(container)
    with open_project(project) as root:
        inside = root.canonical(container or ".")
        try:
            os.close(root.open_folder(inside, follow=False))
        except OSError as problem:
            raise BadUsage(
                f"The folder {shown(container)} cannot be opened: {problem.strerror}."
            ) from None
        return root.path if inside == "." else os.path.join(root.path, inside)


def place_of(folder: str, projects: Sequence[Project]) -> tuple[str, str]:
    """The id of the project that a folder lies in, and the container that it is there; empty: it lies in none.

    Of projects that lie in each other it is the innermost.
    """
    for project in sorted(projects, key=lambda each: len(each.folder), reverse=True):
        if folder == project.folder:
            return project.id, ""
        above = project.folder.rstrip("/") + "/"
        if folder.startswith(above):
            return project.id, folder[len(above) :]
    return "", ""
