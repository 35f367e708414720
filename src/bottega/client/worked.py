"""What a session of a server changed in its folder there, as `studio.Worked` tells it of one here."""

from typing import Any

import msgspec

from bottega.reach.reach import Reach
from bottega.sessions.changes.work import Work
from bottega.studio.worked import Undone


class _Change(msgspec.Struct):
    path: str
    before: str
    after: str
    mixed: bool = False
    imported: bool = False


class _Changes(msgspec.Struct):
    changes: list[_Change]


class _Compared(msgspec.Struct):
    text: str


class _Undone(msgspec.Struct):
    reverted: tuple[str, ...]
    refused: dict[str, str]


class RemoteWorked:
    def __init__(self, reach: Reach, session_id: str, works: tuple[Work, ...]) -> None:
        self._reach = reach
        self._path = f"sessions/{session_id}"
        self.works = works

    @classmethod
    async def of(cls, reach: Reach, session_id: str) -> "RemoteWorked":
        body = await reach.call("GET", f"sessions/{session_id}/changes")
        found = reach.read(body, _Changes).changes
        works = (
            Work(each.path, each.before, each.after, mixed=each.mixed, imported=each.imported)
            for each in found
        )
        return cls(reach, session_id, tuple(works))

    async def diff(self, work: Work) -> str:
        """What was done to the file, in the form that `git apply` takes."""
        query = {"path": work.path}
        body = await self._reach.call("GET", f"{self._path}/changes/diff", query=query)
        return self._reach.read(body, _Compared).text

    async def undo(self, paths: list[str] | None, *, force: bool) -> Undone:
        """Bring these files back to what they were before the session; None: all."""
        wanted: dict[str, Any] = {"all": True} if paths is None else {"paths": paths}
        body = await self._reach.call("POST", f"{self._path}/revert", {**wanted, "force": force})
        done = self._reach.read(body, _Undone)
        return Undone(done.reverted, done.refused)
