"""What a session changed in its folder, and what came of undoing it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from bottega.alike import STEPS, Budget
from bottega.server.shapes.place import NamedPath
from bottega.sessions.changes.undo import Now
from bottega.studio.worked import Undone, Worked

ALL_FILES = 5
"""How many times the steps of one file are spent on counting the lines of all."""


class ChangeShape(BaseModel):
    path: str = Field(description="From the session's folder.")
    change: Literal["added", "modified", "deleted"]
    added: int | None = Field(description="Lines; null where there are none to count.")
    removed: int | None
    before: str = Field(description="The version before the session; empty: there was no file.")
    after: str = Field(description="The version that the session left; empty: it removed the file.")
    now: Now = Field(description="Whether the file is as the session left it, or as before.")
    mixed: bool = Field(description="Somebody else changed it while the session worked on it.")
    imported: bool = Field(
        description="Done where the session was exported: shown, and never undone here."
    )


class ChangeList(BaseModel):
    folder: str
    changes: list[ChangeShape] = Field(description="By path; its children's too.")

    @classmethod
    def of(cls, worked: Worked) -> "ChangeList":
        """Reads both sides of every file: use a thread."""
        states = worked.states()
        budget = Budget(ALL_FILES * STEPS)
        counts = {work.path: worked.counted(work, budget) for work in worked.works}
        changes = [
            ChangeShape(
                path=work.path,
                change=work.kind,
                added=counted[0] if (counted := counts[work.path]) else None,
                removed=counted[1] if counted else None,
                before=work.before,
                after=work.after,
                now=states[work.path],
                mixed=work.mixed,
                imported=work.imported,
            )
            for work in worked.works
        ]
        return cls(folder=worked.row.folder, changes=changes)


class Revert(BaseModel):
    model_config = ConfigDict(extra="forbid")

    paths: list[NamedPath] = Field([], max_length=1000, description="Files, or folders of them.")
    all: bool = Field(False, description="Everything that the session changed.")
    force: bool = Field(False, description="Over what somebody did since, too.")

    @model_validator(mode="after")
    def _either(self) -> "Revert":
        if bool(self.paths) == self.all:
            raise ValueError("give either `paths` or `all`")
        return self


class UndoneShape(BaseModel):
    reverted: list[str] = Field(description="Files that are as before the session now.")
    refused: dict[str, str] = Field(description="Files that were left as they are, and why.")

    @classmethod
    def of(cls, undone: Undone) -> "UndoneShape":
        return cls(reverted=list(undone.paths), refused=undone.refused)
