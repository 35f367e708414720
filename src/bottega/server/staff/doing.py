"""The worker's end of the pipes: it does what its server asks, each errand by itself, while its sessions run on."""

import asyncio
import logging
from contextlib import ExitStack, suppress
from typing import Any

import msgspec

from bottega.errors import NotFound, Problem
from bottega.server.staff import errands
from bottega.server.staff.errands import Piece, Sent, ShellTold
from bottega.server.staff.owner import Owner
from bottega.studio import Studio
from bottega.workspaces.sandbox.sandbox import Size
from bottega.workspaces.shells import printed
from bottega.workspaces.shells.shells import Opened

_log = logging.getLogger(__name__)

LOOK = 10.0
"""Seconds after which whoever waits for more of a shell is answered in any case."""
TYPING = 5.0
"""Seconds that a program may take to take in what was typed."""

_UNFORESEEN = Problem("The worker failed at it.", hint="The server's log has more.")


class Doing:
    def __init__(self, studio: Studio, owner: Owner) -> None:
        self._studio = studio
        self._owner = owner
        self._tasks: set[asyncio.Task[None]] = set()
        self._kept: dict[str, tuple[Opened, list[ExitStack]]] = {}

    async def run(self) -> None:
        """Do what comes, side by side."""
        while True:
            sent = msgspec.json.decode(await self._owner.heard.get(), type=Sent)
            task = asyncio.create_task(self._answer(sent))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _answer(self, sent: Sent) -> None:
        try:
            answer = errands.done(sent.ref, await self._do(sent.errand))
        except Problem as problem:
            answer = errands.failed(sent.ref, problem)
        except Exception:
            _log.exception("an errand failed")
            answer = errands.failed(sent.ref, _UNFORESEEN)
        self._owner.tell(answer)

    async def _do(self, errand: errands.AnyErrand) -> Any:
        opened = self._studio.opened
        match errand:
            case errands.Ping():
                return None
            case errands.ListShells():
                return [told(each) for each in opened.hands.shells.every()]
            case errands.Free():
                return await opened.free(errand.row)
            case errands.Compact():
                return await opened.compact(errand.row)
            case errands.LetGo():
                return self._let_go(errand.shell_id)
            case _:
                return await self._at_shell(errand, self._shell(errand.shell_id))

    async def _at_shell(
        self,
        errand: errands.TypeInto
        | errands.Resize
        | errands.Read
        | errands.Keep
        | errands.CloseShell,
        found: Opened,
    ) -> Any:
        match errand:
            case errands.TypeInto():
                return await found.shell.type(errand.text, TYPING)
            case errands.Resize():
                return found.shell.resize(Size(errand.rows, errand.columns))
            case errands.Read():
                return await _read(found, errand)
            case errands.Keep():
                holding = ExitStack()
                holding.enter_context(found.shell.kept())
                self._kept.setdefault(found.shell.id, (found, []))[1].append(holding)
                return told(found)
            case errands.CloseShell():
                if not found.shell.ended:
                    await self._studio.opened.hands.shells.close(
                        found.folder, found.person, found.shell.id
                    )
                return None

    def _shell(self, shell_id: str) -> Opened:
        for each in self._studio.opened.hands.shells.every():
            if each.shell.id == shell_id:
                return each
        if shell_id in self._kept:
            return self._kept[shell_id][0]
        raise NotFound(f"There is no shell {shell_id!r} here.")

    def _let_go(self, shell_id: str) -> None:
        if kept := self._kept.get(shell_id):
            _, holding = kept
            holding.pop().close()
            if not holding:
                del self._kept[shell_id]


async def _read(found: Opened, errand: errands.Read) -> Piece:
    shell = found.shell
    with shell.kept():
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK):
                await shell.more(errand.than)
        state = told(found)
        got = await asyncio.to_thread(printed.read, shell, errand.offset, errand.limit)
    return Piece(got, state)


def told(opened: Opened) -> ShellTold:
    shell = opened.shell
    return ShellTold(
        shell.id,
        opened.folder,
        opened.owner,
        opened.command,
        opened.network,
        shell.size,
        shell.ended,
        shell.exit_code,
    )
