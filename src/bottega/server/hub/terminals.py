"""Terminals over the socket: a shell's output from any byte on, and what is typed into it.

What a shell prints is read from what is kept of it, at the client's own speed; it is in no log.
"""

from contextlib import aclosing

from bottega.server.house import House
from bottega.server.hub import frames, told
from bottega.server.hub.socket import Socket
from bottega.server.shells.shell import ServedShell


class Terminals:
    def __init__(self, house: House) -> None:
        self._house = house

    async def do(self, socket: Socket, frame: frames.OfShell) -> None:
        shell = await self._shell(socket, frame)
        match frame:
            case frames.ShellAttach():
                await socket.unfollow(_name(shell))
                attached = told.ShellAttached(shell_id=shell.id, size=shell.terminal.size)
                await socket.answer(frame, attached)
                await socket.follow(_name(shell), _follow(socket, shell, frame.offset))
            case frames.ShellInput():
                await shell.terminal.write(frame.text)
                if frame.ref is not None:  # every key would be answered else
                    await socket.answer(frame, told.ShellTyped(shell_id=shell.id))
            case frames.ShellResize():
                await shell.terminal.resize(frame.columns, frame.rows)
                await socket.answer(frame, told.ShellResized(shell_id=shell.id))
            case frames.ShellDetach():
                await socket.unfollow(_name(shell))
                await socket.answer(frame, told.ShellDetached(shell_id=shell.id))

    async def _shell(self, socket: Socket, frame: frames.OfShell) -> ServedShell:
        """The shell that the frame names, of a project of this person's; another's is not found."""
        project = self._house.projects.owned(frame.project_id, socket.person.n)
        return await self._house.shells.get(socket.person.n, project, frame.shell_id)


def _name(shell: ServedShell) -> str:
    """Under which it is followed; no tab can be called so."""
    return f"shell {shell.id}"


async def _follow(socket: Socket, shell: ServedShell, offset: int) -> None:
    async with aclosing(shell.terminal.follow(offset)) as following:
        async for printed in following:
            output = told.ShellOutput(
                shell_id=shell.id, offset=printed.offset, next=printed.next, text=printed.text
            )
            await socket.tell(output.encoded())
    ended = told.ShellEnded(shell_id=shell.id, exit_code=shell.terminal.exit_code)
    await socket.tell(ended.encoded())
