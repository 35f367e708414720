"""All that is stored of a person, to take along or to delete. Keys are in neither: they are the home's.

Each session goes out as it could be brought in again. Deletion begins only where nothing of the person's runs.
"""

import zipfile
from collections.abc import Generator, Iterator

import msgspec

from bottega.accounts.people import Person
from bottega.errors import Conflict, NotFound
from bottega.projects.files.download import Pipe
from bottega.server.house import House
from bottega.sessions.care import retention
from bottega.sessions.exports.export import export
from bottega.sessions.session import SessionRow
from bottega.studio.setup import config

_FLUSH = 256 * 1024


def everything_of(house: House, person: Person) -> Generator[bytes]:
    """The bytes of a zip, one piece at a time. Waits for the disk."""
    chunks = _zip(house, person)
    next(chunks)
    return chunks


async def deleted(house: House, person: Person) -> int:
    """Delete every session of this person and free what is held for it; refuse where one runs, before any goes."""
    runtime = house.studio.runtime
    rows = runtime.sessions.all_of(person.n)
    busy = [row for row in rows if row.status != "idle"]
    if busy:
        raise Conflict(
            f"Something still runs or waits in {len(busy)} of your sessions, such as {busy[0].title!r}.",
            hint="Stop it first.",
        )
    for row in rows:
        if row.parent is None:
            try:
                await retention.delete(runtime.database, runtime.log, runtime.blobs, row)
            except NotFound:  # deleted meanwhile
                continue
    for row in rows:
        await house.studio.opened.free(row)
    return len(rows)


def _zip(house: House, person: Person) -> Generator[bytes]:
    yield b""
    pipe = Pipe()
    runtime = house.studio.runtime
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, told in _papers(house, person).items():
            archive.writestr(name, msgspec.json.format(msgspec.json.encode(told), indent=2))
        yield pipe.taken()
        for row in runtime.sessions.all_of(person.n):
            for _ in _added(archive, house, row):
                if taken := pipe.taken():
                    yield taken
    yield pipe.taken()


def _added(archive: zipfile.ZipFile, house: House, row: SessionRow) -> Iterator[None]:
    runtime = house.studio.runtime
    with archive.open(f"sessions/{row.id}.jsonl", "w", force_zip64=True) as into:
        waiting = 0
        for line in export(runtime.database, runtime.blobs, row):
            into.write(line)
            waiting += len(line)
            if waiting > _FLUSH:
                waiting = 0
                yield
    yield


def _papers(house: House, person: Person) -> dict[str, object]:
    """What is known besides sessions; the settings concern all, so they are the host's."""
    projects = [
        {"name": each.name, "folder": each.folder, "created_at": each.created_at}
        for each in house.projects.of(person.n)
    ]
    told: dict[str, object] = {
        "me.json": {"id": person.id, "name": person.name},
        "projects.json": projects,
    }
    if person.is_host:
        settings = config.told(house.studio.runtime.settings)
        told["settings.json"] = {each.name: each.value for each in settings}
    return told
