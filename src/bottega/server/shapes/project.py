"""A project, as lists and its own page show it."""

from pydantic import BaseModel, Field

from bottega.projects.projects import Project


class ProjectShape(BaseModel):
    id: str
    name: str
    folder: str
    created_at: int = Field(description="Milliseconds UTC.")

    @classmethod
    def of(cls, project: Project) -> "ProjectShape":
        return cls(
            id=project.id, name=project.name, folder=project.folder, created_at=project.created_at
        )


class ProjectList(BaseModel):
    projects: list[ProjectShape] = Field(description="The oldest first.")


class ProjectPage(ProjectShape):
    containers: list[str] = Field(description="Folders in it that work may be done in.")
