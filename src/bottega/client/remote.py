"""A Bottega at some address, with the words of `studio.Studio`."""

from pathlib import Path, PurePath
from types import TracebackType
from typing import Literal

from bottega.approvals.mode import Mode
from bottega.client import shapes, waiting
from bottega.client.session import RemoteSession, opened
from bottega.errors import BadUsage, NotFound
from bottega.providers.http.connect import trusting
from bottega.reach.reach import PATIENCE, Reach, Watch
from bottega.sessions.asks import Ask
from bottega.sessions.session import SessionRow


class Remote:
    """Use it as an async context manager. `watch` is told when the server is lost, and when it is back."""

    def __init__(
        self,
        address: str,
        token: str,
        *,
        patience: float = PATIENCE,
        watch: Watch | None = None,
        ca_file: str = "",
    ) -> None:
        """`patience`: seconds for which a server that is gone is tried again before a call gives up.

        `ca_file` has certificates to trust besides the system's: that of the server, if it made its own.
        """
        tls = trusting(ca_file) if ca_file else None
        self.reach = Reach(address, token, patience, watch, tls=tls)

    async def __aenter__(self) -> "Remote":
        await self.reach.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.reach.close()

    async def projects(self) -> list[shapes.ProjectShape]:
        """The folders that one may work in."""
        body = await self.reach.call("GET", "projects")
        return self.reach.read(body, shapes.ProjectPage).projects

    async def start(
        self,
        *,
        model: str = "",
        agent: str = "",
        folder: Path | str = ".",
        title: str = "",
        mode: Mode | Literal[""] = "",
    ) -> RemoteSession:
        """Begin a session. `folder` is one at the server, in a project; `.` is where the server was started."""
        project_id, container = await self._place(str(folder))
        body = {
            "project_id": project_id,
            "container": container,
            "agent": agent,
            "model": model,
            "mode": mode,
            "title": title,
        }
        answer = await self.reach.call("POST", "sessions", body)
        begun = self.reach.read(answer, shapes.SessionShape)
        return RemoteSession(self.reach, *await opened(self.reach, begun.id))

    async def _place(self, folder: str) -> tuple[str, str]:
        """The project that a folder belongs to, and the folder's path inside of it."""
        if folder == ".":
            return "", ""
        where = PurePath(folder)
        if not where.is_absolute():
            raise BadUsage(f"{folder!r} is no folder of the server.", hint="Give its whole path.")
        known = [each for each in await self.projects() if where.is_relative_to(each.folder)]
        if not known:
            raise NotFound(
                f"The folder {folder!r} is in no project of this server.",
                hint="`bottega projects add` registers one, at the server's machine.",
            )
        nearest = max(known, key=lambda each: len(each.folder))
        inside = where.relative_to(nearest.folder).as_posix()
        return nearest.id, "" if inside == "." else inside

    async def resume(self, session_id: str) -> RemoteSession:
        """Go on with a session; what a crash left unfinished in it the server has seen to already."""
        session = RemoteSession(self.reach, *await opened(self.reach, session_id))
        await session.look()
        return session

    async def named(self, name: str) -> str:
        """The id of the session that is called so: by its id, or the beginning or the end of that."""
        if len(name) >= 36 or len(name) < 4:
            return name
        ids = [row.id for row in await self.sessions(200)]
        found = [each for each in ids if each.startswith(name) or each.endswith(name)]
        if len(found) > 1:
            raise BadUsage(
                f"More than one session begins or ends with {name!r}.", hint="Give more of its id."
            )
        return found[0] if found else name

    async def find(self, session_id: str) -> RemoteSession:
        """The same: a server mends by itself."""
        return await self.resume(session_id)

    async def sessions(self, limit: int = 50) -> list[SessionRow]:
        """The newest first."""
        body = await self.reach.call("GET", "sessions", query={"limit": min(limit, 200)})
        page = self.reach.read(body, shapes.SessionPage)
        return [each.row() for each in page.sessions]

    async def asks(self) -> list[tuple[str, Ask]]:
        """All that waits for an answer of one's own, each with the id of its session, oldest first."""
        return [(each.session_id, each.ask()) for each in await waiting.asks(self.reach)]

    async def agents(self) -> list[shapes.AgentShape]:
        """Every agent that can be chosen at the server."""
        body = await self.reach.call("GET", "agents")
        return self.reach.read(body, shapes.AgentPage).agents
