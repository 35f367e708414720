"""What a worker holds for a session goes when its last tab is closed, in whichever process that happens."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from bottega.messages.block import Text
from bottega.sessions.inbox import Prompt
from bottega.sessions.session import HOST
from bottega.sessions.tabs import Tabs
from bottega.studio import Session, Studio
from bottega.studio.tidying import Tidying

Scripted = Callable[..., str]


async def ended(session: Session) -> None:
    async with asyncio.timeout(20):
        async for event in session.follow():
            if event.type == "exchange_response":
                return


async def test_the_last_tab_that_closes_frees_shells_in_another_process(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted(
        [{"do": "call", "name": "shell_open", "input": {}}], [{"do": "say", "text": "Open."}]
    )
    async with (
        Studio(home, admits_as="server", runs=False) as front,
        Studio(home, admits_as="server", on_crash=None, attends=True) as worker,
    ):
        session = await front.start(model=model, folder=folder, mode="allow")
        opened, tabs = worker.opened, Tabs(front.runtime.database)
        await tabs.open(HOST, "one", session.row.n)
        await session.admit(Prompt("m1", (Text("go"),)))
        await ended(session)
        shells = opened.hands.shells
        assert len(shells.list(str(folder), HOST)) == 1

        async def free(n: int) -> None:
            await opened.free(opened.runtime.sessions.numbered(n))

        tidying = Tidying(worker.runtime.database, lambda: [session.row.n], free)
        await tidying.look()
        await tabs.open(HOST, "two", session.row.n)
        await tabs.close(HOST, "one")
        await tidying.look()
        assert len(shells.list(str(folder), HOST)) == 1, "another tab shows it"
        await tabs.close(HOST, "two")
        await tidying.look()
        assert shells.list(str(folder), HOST) == []


async def test_a_session_that_no_tab_ever_showed_keeps_what_it_has(home: Path) -> None:
    freed: list[int] = []

    async def free(n: int) -> None:
        freed.append(n)

    async with Studio(home, runs=False) as studio:
        tidying = Tidying(studio.runtime.database, lambda: [1, 2, 3], free)
        await tidying.look()
        await tidying.look()
    assert freed == []
