"""Projects: the folders that a person may work in. Somebody at this machine adds them."""

from fastapi import APIRouter

from bottega.server.problems import responses
from bottega.server.shapes.project import ProjectList, ProjectPage, ProjectShape
from bottega.server.who import Asked, OwnProject, Signed

router = APIRouter(prefix="/projects", tags=["projects"])


@router.get("")
async def list_projects(house: Asked, person: Signed) -> ProjectList:
    """Mine, the oldest first."""
    mine = house.projects.of(person.n)
    return ProjectList(projects=[ProjectShape.of(project) for project in mine])


@router.get("/{project_id}", responses=responses(404))
async def show_project(house: Asked, project: OwnProject) -> ProjectPage:
    """One, with its containers: the folders in it that git does not ignore."""
    containers = await house.files.containers(project)
    shape = ProjectShape.of(project)
    return ProjectPage(**shape.model_dump(), containers=containers)
