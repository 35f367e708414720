"""What a server answers, read into the values that the studio's own library uses. Unknown fields are passed over."""

from typing import Any

import msgspec

from bottega.approvals.mode import Mode
from bottega.events import facts
from bottega.ids import SessionId
from bottega.sessions.asks import Ask, Reply, Word
from bottega.sessions.session import VERSION, SessionRow, Status


class SessionShape(msgspec.Struct):
    id: str
    title: str
    agent: str
    model: str
    folder: str
    status: Status
    created_at: int
    updated_at: int
    last_index: int
    mode: str = ""

    def row(self) -> SessionRow:
        """As the library holds it; its number is the server's own affair."""
        return SessionRow(
            n=0,
            id=SessionId(self.id),
            created_at=self.created_at,
            updated_at=self.updated_at,
            title=self.title,
            model=self.model,
            agent=self.agent,
            folder=self.folder,
            status=self.status,
            needs=VERSION,
            last_index=self.last_index,
            mode=self.mode,
        )


class OpenShape(SessionShape):
    mode_in_force: Mode = "ask"


class SessionPage(msgspec.Struct):
    sessions: list[SessionShape]
    next: str = ""


class Page(msgspec.Struct):
    """Stored facts: their bodies are kept as the bytes that they are."""

    events: list[tuple[int, msgspec.Raw]]
    cursor: int = 0
    last_index: int = 0


class Admitted(msgspec.Struct):
    message_id: str
    index: int
    repeated: bool = False


class Waiting(msgspec.Struct):
    """A prompt that waits or runs."""

    message_id: str
    index: int


class Prompts(msgspec.Struct):
    prompts: list[Waiting]


class Stopped(msgspec.Struct):
    stopped: bool


class AskShape(msgspec.Struct):
    id: str
    session_id: str
    message_id: str
    created_at: int
    kind: Any
    question: str
    choices: tuple[str, ...]
    tool_id: str
    tool_name: str
    input: dict[str, Any]
    detail: dict[str, Any]
    hash: str
    answer: Word | None = None
    cut: bool = False

    def ask(self) -> Ask:
        """As the library holds it; of an answer only its word is told."""
        asked = facts.ApprovalRequired(
            approval_id=self.id,
            kind=self.kind,
            tool_id=self.tool_id,
            tool_name=self.tool_name,
            hash=self.hash,
            question=self.question,
            choices=self.choices,
            detail=self.detail,
        )
        reply = Reply(self.answer) if self.answer else None
        return Ask(self.id, 0, self.message_id, self.created_at, asked, self.input, reply)


class AskPage(msgspec.Struct):
    asks: list[AskShape]
    next: int = 0


class Answered(msgspec.Struct):
    word: Word
    message_id: str


class Turned(msgspec.Struct):
    changed: bool | None


class Undone(msgspec.Struct):
    compaction: int


class AgentShape(msgspec.Struct):
    slug: str
    name: str = ""
    description: str = ""


class AgentPage(msgspec.Struct):
    agents: list[AgentShape]


class ProjectShape(msgspec.Struct):
    id: str
    name: str
    folder: str


class ProjectPage(msgspec.Struct):
    projects: list[ProjectShape]
