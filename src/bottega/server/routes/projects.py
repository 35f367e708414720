"""Projects: the folders that a person may work in. Somebody at this machine adds them."""

import asyncio

from fastapi import APIRouter

from bottega.projects.outlook import outlook
from bottega.server.problems import responses
from bottega.server.shapes.outlook import OutlookShape, sandbox_of
from bottega.server.shapes.place import PathQuery
from bottega.server.shapes.project import ProjectList, ProjectPage, ProjectShape
from bottega.server.who import Asked, OwnProject, Signed

router = APIRouter(prefix="/projects", tags=["projects"])


@router.get("")
async def list_projects(house: Asked, person: Signed) -> ProjectList:
    """Mine, the oldest first."""
    mine = house.projects.of(person.n)
    return ProjectList(projects=[ProjectShape.of(project) for project in mine])


@router.get("/{project_id}/outlook", responses=responses(404, 409))
async def show_outlook(
    house: Asked, person: Signed, project: OwnProject, container: PathQuery = ""
) -> OutlookShape:
    """What is to be known of a folder before the first prompt: what lies there, what an agent may do, what to ask."""
    runtime = house.studio.runtime
    listed = await house.files.finding.listed(project)
    seen, sandbox = await asyncio.gather(
        outlook(house.folders, project, listed, container),
        sandbox_of(runtime.sandboxes, project.folder),
    )
    values = runtime.refresh().values
    return OutlookShape.of(seen, sandbox, values.mode, len(values.rules))


@router.get("/{project_id}", responses=responses(404))
async def show_project(house: Asked, project: OwnProject) -> ProjectPage:
    """One, with its containers: the folders in it that git does not ignore."""
    containers = await house.files.containers(project)
    shape = ProjectShape.of(project)
    return ProjectPage(**shape.model_dump(), containers=containers)
