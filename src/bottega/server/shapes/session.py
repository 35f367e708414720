"""A session, as lists and its own page show it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bottega.server.shapes.talk.event import TailShape
from bottega.server.shapes.words import Index, Mode, Name, Path
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
    depth: int = Field(
        description="0; of a session that another one's agent began: how deep it is."
    )

    @classmethod
    def of(cls, row: SessionRow) -> "SessionShape":
        return cls(
            id=row.id,
            title=row.title,
            agent=row.agent,
            model=row.model,
            folder=row.folder,
            mode=row.mode,
            status=row.shown,
            created_at=row.created_at,
            updated_at=row.updated_at,
            last_index=row.last_index,
            depth=row.depth,
        )


class OpenSession(SessionShape):
    """A session with the end of what was said in it."""

    tail: TailShape


class SessionPage(BaseModel):
    sessions: list[SessionShape]
    next: str = Field(description="Give this as `before` for the next page; empty: there is none.")


class SessionList(BaseModel):
    sessions: list[SessionShape]


class NewSession(BaseModel):
    model_config = ConfigDict(extra="forbid")

    project_id: Name = Field("", description="Empty: your first project.")
    container: Path = Field("", description="A subfolder of the project.")
    agent: Name = Field("", description="Empty: as the settings say.")
    model: Name = ""
    mode: Literal["", "plan", "ask", "allow"] = ""
    title: Name = ""


class SessionChange(BaseModel):
    """What is left out stays as it is."""

    model_config = ConfigDict(extra="forbid")

    title: Name | None = None
    mode: Mode | None = None
    model: Name | None = Field(None, min_length=1)
    agent: Name | None = Field(None, min_length=1)


class Fork(BaseModel):
    model_config = ConfigDict(extra="forbid")

    index: Index | None = Field(None, description="Left out: all there is.")
    title: Name = ""


class Turned(BaseModel):
    """What came of it."""

    changed: bool = Field(description="False: there was nothing to change.")


class Compacted(BaseModel):
    changed: bool | None = Field(
        description="False: there is nothing to drop. Null: what runs does it before its next step."
    )


class Undo(BaseModel):
    model_config = ConfigDict(extra="forbid")

    compaction: Index = Field(0, description="The index of a compaction; 0: the last one.")


class Undone(BaseModel):
    compaction: int = Field(description="The index of the one that was undone; 0: there was none.")
