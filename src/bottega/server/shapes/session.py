"""A session, as lists and its own page show it."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from bottega.projects.projects import Project
from bottega.providers.vendors import DEMO
from bottega.server.shapes.open_body import OpenBody
from bottega.server.shapes.talk.event import TailShape
from bottega.server.shapes.words import Index, Mode, Name, Object, Path, Words
from bottega.sessions.clients import ClientTool
from bottega.sessions.session import Outcome, SessionRow


class SessionShape(BaseModel):
    id: str
    title: str
    agent: str
    model: str
    folder: str
    project_id: str = Field(description="The project of yours that it works in; empty: in none.")
    container: str = Field(description="The subfolder of that project; empty: all of it.")
    mode: str = Field(description="plan, ask or allow; empty: as the settings say.")
    status: Literal["idle", "queued", "running", "waiting"]
    outcome: Outcome = Field(
        description="How its last exchange ended; empty: none has yet, or it was not written down."
    )
    pinned: bool
    archived: bool
    demo: bool = Field(description="It is played from a script, and no model answers.")
    created_at: int = Field(description="Milliseconds UTC.")
    updated_at: int
    last_index: int = Field(description="The index of its last event: a cursor to follow from.")
    depth: int = Field(
        description="0; of a session that another one's agent began: how deep it is."
    )

    @classmethod
    def of(cls, row: SessionRow, projects: Sequence[Project]) -> "SessionShape":
        """`projects` are its owner's."""
        project_id = next((each.id for each in projects if each.n == row.project), "")
        return cls(
            id=row.id,
            title=row.title,
            agent=row.agent,
            model=row.model,
            folder=row.folder,
            project_id=project_id,
            container=row.container if project_id else "",
            mode=row.mode,
            status=row.shown,
            outcome=row.outcome,
            pinned=row.pinned,
            archived=row.archived,
            demo=row.model == DEMO,
            created_at=row.created_at,
            updated_at=row.updated_at,
            last_index=row.last_index,
            depth=row.depth,
        )


class OpenSession(SessionShape):
    """A session with the end of what was said in it."""

    mode_in_force: Mode = Field(
        description="How much is done unasked now: no more than the agent may."
    )
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
    pinned: bool | None = None
    archived: bool | None = None


class ClientToolShape(OpenBody):
    """A tool that a client runs itself: each call of it is an ask of kind `client`."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: Words
    parameters: Object = Field(alias="schema", description="A JSON schema of an object.")


class ClientTools(OpenBody):
    tools: list[ClientToolShape] = Field(max_length=100)

    @classmethod
    def of(cls, tools: Sequence[ClientTool]) -> "ClientTools":
        return cls.model_validate({"tools": [msgspec.to_builtins(each) for each in tools]})

    def meant(self) -> list[ClientTool]:
        return [ClientTool(each.name, each.description, each.parameters) for each in self.tools]


class Deletion(BaseModel):
    model_config = ConfigDict(extra="forbid")

    confirm: Name = Field(description="Your name, to show that you mean it.")


class Deleted(BaseModel):
    sessions: int = Field(description="How many there were, children among them.")


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
