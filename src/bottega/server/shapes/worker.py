"""Those who run what the server admits."""

from typing import Literal

from pydantic import BaseModel, Field

from bottega.server.staff.staff import Member


class WorkerShape(BaseModel):
    id: str = Field(description="Stays the same when its process is started again.")
    pid: int = Field(description="Its process; 0: it is gone, and the next one is not there yet.")
    state: Literal["starting", "running", "resting"] = Field(
        description="resting: it died, and is started again in a moment."
    )
    restarts: int = Field(description="How often it was started again.")
    sessions: int = Field(description="How many sessions it runs now.")

    @classmethod
    def of(cls, member: Member) -> "WorkerShape":
        return cls(
            id=member.id,
            pid=member.pid,
            state=member.state,
            restarts=member.restarts,
            sessions=member.sessions,
        )


class WorkerList(BaseModel):
    workers: list[WorkerShape]
