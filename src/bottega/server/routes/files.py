"""Files of a project: look, read, change, bring in, take out.

Whoever changes a file names the version that they have read. Is it another by now, nothing is changed: 409, with the
version that is there.
"""

import asyncio
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from starlette.requests import ClientDisconnect

from bottega.errors import BadUsage
from bottega.projects.files.limits import ENTRIES, PIECE
from bottega.projects.files.match import LONGEST
from bottega.projects.files.reading import as_json
from bottega.projects.files.tree import DEEPEST
from bottega.projects.files.upload import refuse_too_large
from bottega.server.problems import responses
from bottega.server.sending import Streamed
from bottega.server.shapes.files import (
    Compare,
    ComparedShape,
    FileShape,
    FoundFiles,
    MadeShape,
    Move,
    NewContent,
    NewFolder,
    PathShape,
    TreeShape,
)
from bottega.server.shapes.place import NamedQuery, PathQuery, VersionQuery
from bottega.server.who import Asked, OwnProject

router = APIRouter(prefix="/projects/{project_id}", tags=["files"])

_LOOKED = responses(404, 409)
_CHANGED = responses(404, 409, 413, 503, 507)
_BYTES = {"schema": {"type": "string", "format": "binary"}}
_Offset = Annotated[int, Query(ge=0, le=2**62)]


@router.get("/files", responses=_LOOKED)
async def list_files(
    house: Asked,
    project: OwnProject,
    path: PathQuery = "",
    depth: Annotated[int, Query(ge=1, le=DEEPEST)] = 1,
    start: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=ENTRIES)] = ENTRIES,
) -> TreeShape:
    """The entries of a folder, folders first. Links are named and not followed, what git ignores is not entered."""
    return TreeShape.of(await house.files.tree(project, path, depth, start, limit))


@router.get("/find", responses=_LOOKED)
async def find_files(
    house: Asked,
    project: OwnProject,
    q: Annotated[str, Query(max_length=LONGEST, description="Letters of a path, in order.")] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
    container: PathQuery = "",
) -> FoundFiles:
    """Files and folders by a few letters of their paths, the likeliest first; what git ignores is left out."""
    found = await house.files.finding.find(project, q, limit, container)
    return FoundFiles.of(found)


@router.get("/file", response_model=FileShape, responses=_LOOKED)
async def read_file(
    house: Asked,
    project: OwnProject,
    path: NamedQuery,
    offset: _Offset = 0,
    limit: Annotated[int, Query(ge=0, le=PIECE, description="Bytes; 0: as many as fit.")] = 0,
) -> Response:
    """The text of a file, with its version. A large one comes in pieces: go on with `next` as `offset`."""
    page = await house.files.read(project, path, offset, limit)
    return Response(await asyncio.to_thread(as_json, page), media_type="application/json")


@router.put("/file", responses=_CHANGED)
async def write_file(
    house: Asked, project: OwnProject, path: NamedQuery, wanted: NewContent
) -> MadeShape:
    """Write a text file whole; folders that are missing are made."""
    made = await house.files.write(project, path, wanted.content, wanted.version)
    return MadeShape.of(made)


@router.delete("/file", status_code=204, responses=_CHANGED)
async def remove_file(
    house: Asked,
    project: OwnProject,
    path: NamedQuery,
    version: VersionQuery = "",
    recursive: bool = False,
) -> None:
    """Remove a file of that version, a link, or a folder; one that is not empty only with `recursive`."""
    await house.files.remove(project, path, version, recursive=recursive)


@router.post("/folders", status_code=201, responses=_CHANGED)
async def make_folder(house: Asked, project: OwnProject, wanted: NewFolder) -> PathShape:
    """Make a folder, and those above it."""
    return PathShape(path=await house.files.make_folder(project, wanted.path))


@router.post("/move", responses=_CHANGED)
async def move_file(house: Asked, project: OwnProject, wanted: Move) -> PathShape:
    """Give a file of that version, a link or a folder another name or place, where nothing is yet."""
    path = await house.files.move(project, wanted.path, wanted.to, wanted.version)
    return PathShape(path=path)


@router.post(
    "/upload",
    responses=_CHANGED,
    openapi_extra={
        "requestBody": {"required": True, "content": {"application/octet-stream": _BYTES}}
    },
)
async def upload_file(
    house: Asked,
    project: OwnProject,
    request: Request,
    path: NamedQuery,
    version: VersionQuery = "",
) -> MadeShape:
    """Bring a file in, as it is: the body is its bytes. It is there whole, or not at all."""
    said = request.headers.get("content-length", "")
    refuse_too_large(path, int(said) if said.isdecimal() else 0)
    try:
        return MadeShape.of(await house.files.upload(project, path, version, request.stream()))
    except ClientDisconnect:
        raise BadUsage("The upload broke off; nothing was written.") from None


@router.get(
    "/download",
    response_class=Streamed,
    responses={
        200: {"description": "The bytes.", "content": {"application/octet-stream": _BYTES}},
        **responses(404, 409, 413),
    },
)
async def download_file(
    house: Asked,
    project: OwnProject,
    path: PathQuery = "",
    ignored: Annotated[bool, Query(description="A folder's zip has what git ignores too.")] = False,
) -> Streamed:
    """A file as it is, or a folder as a zip without links. Nothing of it is shown by a browser."""
    sent = await house.files.download(project, path, ignored=ignored)
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(sent.name, safe='')}",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "sandbox",
        "Cache-Control": "no-store",
    }
    if sent.size is not None:
        headers["Content-Length"] = str(sent.size)
    return Streamed(sent.chunks, headers, "application/octet-stream")


@router.post("/diff", responses=responses(404, 409, 413))
async def compare_file(house: Asked, project: OwnProject, wanted: Compare) -> ComparedShape:
    """What would change if a file got this content; nothing is written."""
    return ComparedShape.of(await house.files.compare(project, wanted.path, wanted.content))
