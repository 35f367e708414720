"""A session, as lists and its own page show it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bottega.sessions.session import SessionRow


class SessionShape(BaseModel):
    id: str
    title: str
    agent: str
    model: str
    folder: str
    mode: str = Field(description="plan, ask or allow; empty: as the settings say.")
    status: Literal["idle", "queued", "running", "waiting"]
    created_at: int = Field(description="Milliseconds UTC.")
    updated_at: int
    last_index: int = Field(description="The index of its last event: a cursor to follow from.")

    @classmethod
    def of(cls, row: SessionRow) -> "SessionShape":
        return cls(
            id=row.id,
            title=row.title,
            agent=row.agent,
            model=row.model,
            folder=row.folder,
            mode=row.mode,
            status=row.status,
            created_at=row.created_at,
            updated_at=row.updated_at,
            last_index=row.last_index,
        )


class SessionPage(BaseModel):
    sessions: list[SessionShape]
    next: str = Field(description="Give this as `before` for the next page; empty: there is none.")


class NewSession(BaseModel):
    model_config = ConfigDict(extra="forbid")

    project_id: str = Field(
        "", max_length=100, description="Empty: the project of the start folder."
    )
    container: str = Field("", max_length=1000, description="A subfolder of the project.")
    agent: str = Field("", max_length=100)
    model: str = Field("", max_length=200)
    mode: Literal["", "plan", "ask", "allow"] = ""
    title: str = Field("", max_length=200)
