"""Shells of a project: open, list, read, resize, close. Input and live output go over the socket."""

from typing import Annotated

from fastapi import APIRouter, Query

from bottega.server.problems import responses
from bottega.server.shapes.shell import NewShell, NewSize, PrintedShape, ShellList, ShellShape
from bottega.server.who import Asked, OwnProject, OwnShell, Signed
from bottega.workspaces.shells.printed import PIECE

router = APIRouter(prefix="/projects/{project_id}/shells", tags=["shells"])


@router.post("", status_code=201, responses=responses(400, 404, 409, 503))
async def open_shell(
    house: Asked, person: Signed, project: OwnProject, wanted: NewShell
) -> ShellShape:
    """A terminal in the project or one of its folders, in the same sandbox as agents have."""
    shell = await house.shells.open(
        person.n,
        project,
        wanted.container,
        columns=wanted.columns,
        rows=wanted.rows,
        network=wanted.network,
    )
    return ShellShape.of(shell)


@router.get("", responses=responses(404))
async def list_shells(house: Asked, person: Signed, project: OwnProject) -> ShellList:
    """Mine, and those that agents of my sessions have open here."""
    found = await house.shells.list(person.n, project)
    return ShellList(shells=[ShellShape.of(each) for each in found])


@router.get("/{shell_id}", responses=responses(404, 503))
async def read_shell(
    shell: OwnShell,
    offset: Annotated[int, Query(ge=0, le=2**62)] = 0,
    limit: Annotated[int, Query(ge=4, le=PIECE, description="Bytes.")] = PIECE,
) -> PrintedShape:
    """What it printed from a byte on. The oldest is dropped: then the offset is later than the one asked for."""
    return PrintedShape.with_text(shell, await shell.terminal.read(offset, limit))


@router.patch("/{shell_id}", responses=responses(404, 503))
async def resize_shell(shell: OwnShell, wanted: NewSize) -> ShellShape:
    """Tell its programs another size."""
    await shell.terminal.resize(wanted.columns, wanted.rows)
    return ShellShape.of(shell)


@router.delete("/{shell_id}", status_code=204, responses=responses(404, 503))
async def close_shell(house: Asked, shell: OwnShell) -> None:
    """End it and everything that runs in it; answers when nothing is left."""
    await house.shells.close(shell)
