"""Shells of a project over HTTP: whoever comes back finds what was printed, and nobody else does."""

import asyncio
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.accounts.people import People
from bottega.projects.projects import Projects
from bottega.server.house import House, Options
from bottega.server.shells.served import ServedShells
from bottega.server.shells.shell import ServedShell
from bottega.server.taken.everything import deleted
from bottega.sessions.session import HOST
from bottega.settings import load
from bottega.studio import Studio
from bottega.workspaces.confine import Root
from tests.server.files.conftest import Desk
from tests.server.serving import Serving


class Watched:
    """Somebody at a shell: types, and waits for words in what comes."""

    def __init__(self, shell: ServedShell) -> None:
        self.shell = shell
        self.text = ""
        self.offset = 0

    async def type(self, text: str) -> None:
        await self.shell.terminal.write(text)

    async def until(self, words: str) -> str:
        """All up to the first match, from where this has last been."""
        async with asyncio.timeout(30):
            following = self.shell.terminal.follow(self.offset)
            try:
                async for printed in following:
                    assert printed.offset == self.offset
                    self.offset = printed.next
                    self.text += printed.text
                    if found := re.search(words, self.text):
                        seen, self.text = self.text[: found.end()], self.text[found.end() :]
                        return seen
            finally:
                await following.aclose()
        raise AssertionError(f"It ended: {self.text!r}")


class Place:
    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.shells = ServedShells(studio)
        self.projects = Projects(studio.runtime.database)


@pytest.fixture
async def place(home: Path) -> AsyncIterator[Place]:
    async with Studio(settings=load(home=home, environment={})) as studio:
        place = Place(studio)
        yield place
        await place.shells.close_all()


def _alive(marker: str) -> list[str]:
    """Processes whose command line has that word."""
    found: list[str] = []
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                line = (each / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if marker in line:
                found.append(line)
    return found


async def test_a_shell_survives_whoever_leaves_and_every_byte_has_its_offset(
    place: Place, folder: Path
) -> None:
    project = await place.projects.add(folder, HOST)
    shell = await place.shells.open(HOST, project)
    first = Watched(shell)
    await first.type("printf 'größe %s\\n' one; pwd\n")
    await first.until(f"größe one\r\n{folder.resolve()}")
    again = Watched(await place.shells.get(HOST, project, shell.id))
    await again.type("cat notes.txt; echo $((40 + 2))\n")
    await again.until(
        "hello world\r\n42\r\n[^\n]*[$#] "
    )  # and the next prompt: then it says nothing more
    whole = await shell.terminal.read(0)
    assert (whole.offset, whole.next) == (0, shell.terminal.size)
    for cut in range(0, shell.terminal.size, 7):
        begin, rest = await shell.terminal.read(0, max(4, cut)), await shell.terminal.read(cut)
        assert begin.next <= max(4, cut)
        assert whole.text.endswith(rest.text.lstrip("\ufffd"))
        assert begin.text + (await shell.terminal.read(begin.next)).text == whole.text


async def test_a_resize_is_seen_by_the_program(place: Place, folder: Path) -> None:
    project = await place.projects.add(folder, HOST)
    shell = await place.shells.open(HOST, project, columns=91, rows=31)
    watched = Watched(shell)
    await watched.type("stty size\n")
    await watched.until("31 91\r\n")
    await shell.terminal.resize(123, 45)
    await watched.type("stty size\n")
    await watched.until("45 123\r\n")


async def test_it_opens_in_a_container_and_sees_no_key_of_the_server(
    home: Path, folder: Path
) -> None:
    (folder / "web").mkdir()
    environment = {"OPENAI_API_KEY": "sk-very-secret", "PATH": os.environ["PATH"]}
    async with Studio(settings=load(home=home, environment=environment)) as studio:
        place = Place(studio)
        project = await place.projects.add(folder, HOST)
        shell = await place.shells.open(HOST, project, "web")
        assert shell.folder == "web"
        watched = Watched(shell)
        await watched.type("pwd; env; cat /proc/*/environ | tr '\\0' '\\n'; echo o''ver\n")
        said = await watched.until("\r\nover")
        assert f"{folder.resolve()}/web" in said
        assert "sk-very-secret" not in said
        await watched.type(f"ls {home}; echo e''nd\n")
        assert "bottega.db" not in await watched.until("\r\nend")
        await place.shells.close_all()


async def test_a_hundred_megabytes_grow_nothing_and_a_slow_reader_is_told_what_it_missed(
    place: Place, folder: Path
) -> None:
    project = await place.projects.add(folder, HOST)
    shell = await place.shells.open(HOST, project)
    slow = shell.terminal.follow(0)
    first = await anext(slow)
    before = _resident()
    watched = Watched(shell)
    await watched.type("stty -opost; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo o''ver\n")
    async with asyncio.timeout(60):
        while shell.terminal.size < 100_000_000:
            await asyncio.sleep(0.01)
    late = await anext(slow)
    while late.next == late.offset or "x" not in late.text:
        late = await anext(slow)
    assert late.offset > first.next
    assert late.offset + 10 * 1024 * 1024 >= 100_000_000
    await slow.aclose()
    assert _resident() - before < 40_000
    assert sum(each.stat().st_size for each in _kept(place, shell)) <= 10 * 1024 * 1024


def _kept(place: Place, shell: ServedShell) -> list[Path]:
    folder = place.studio.runtime.database.home.outputs / "terminals" / shell.id
    return [each for each in folder.rglob("*") if each.is_file()]


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


async def test_to_close_one_ends_everything_in_it(place: Place, folder: Path) -> None:
    project = await place.projects.add(folder, HOST)
    shell = await place.shells.open(HOST, project)
    watched = Watched(shell)
    await watched.type("setsid nohup sleep 71.25 >/dev/null 2>&1 & sleep 71.25 & echo be''gun\n")
    await watched.until("begun")
    async with asyncio.timeout(10):
        while len([line for line in _alive("sleep 71.25") if line.startswith("sleep")]) < 2:
            await asyncio.sleep(0.01)
    await place.shells.close(shell)
    assert _alive("sleep 71.25") == []
    assert await place.shells.list(HOST, project) == []


async def test_the_last_words_of_a_shell_that_has_ended_can_be_read(
    place: Place, folder: Path
) -> None:
    project = await place.projects.add(folder, HOST)
    shell = await place.shells.open(HOST, project)
    await shell.terminal.write("echo last words; exit 3\n")
    said = "".join([each.text async for each in shell.terminal.follow(0)])
    assert "last words\r\nexit\r\n" in said
    assert (shell.ended, shell.terminal.exit_code) == (True, 3)
    assert (await shell.terminal.read(0)).text == said
    assert (await place.shells.get(HOST, project, shell.id)).ended
    await place.shells.close(shell)
    assert await place.shells.list(HOST, project) == []


async def test_shells_are_their_openers_alone_and_so_are_those_of_their_agents(
    place: Place, folder: Path, tmp_path: Path
) -> None:
    other = (await People(place.studio.runtime.database).add("other")).n
    mine, theirs = await place.projects.add(folder, HOST), await place.projects.add(folder, other)
    (tmp_path / "elsewhere").mkdir()
    far = await place.projects.add(tmp_path / "elsewhere", HOST)
    session = await place.studio.start(folder=folder, owner=HOST)
    hands = place.studio.opened.hands
    agents = await hands.shells.open(Root(folder), session.id)
    own = await place.shells.open(HOST, mine)
    assert [each.id for each in await place.shells.list(HOST, mine)] == [own.id, agents.shell.id]
    assert await place.shells.list(HOST, far) == []
    assert await place.shells.list(other, theirs) == []
    seen = await place.shells.get(HOST, mine, agents.shell.id)
    assert seen.session_id == session.id
    watched = Watched(seen)
    ran = await agents.shell.run("echo agents words", 10)
    assert ran.exit_code == 0
    await watched.until("agents words")
    await watched.type("echo per''sons words\n")
    await watched.until("persons words")
    assert (await agents.shell.run("echo again", 10)).exit_code == 0
    await place.shells.close(seen)
    assert hands.shells.list(str(folder.resolve()), HOST) == []


async def test_whoever_deletes_all_sessions_ends_the_shells_of_their_agents(
    place: Place, folder: Path
) -> None:
    session = await place.studio.start(folder=folder)
    agents = place.studio.opened.hands.shells
    await agents.open(Root(session.row.folder), session.id)
    house = House(place.studio, b"a secret of this test", Options())
    assert await deleted(house, house.people.host()) == 1
    assert agents.list(session.row.folder, HOST) == []


async def test_an_agent_does_not_find_a_persons_shell(place: Place, folder: Path) -> None:
    project = await place.projects.add(folder, HOST)
    await place.shells.open(HOST, project)
    assert place.studio.opened.hands.shells.every() == []


async def test_shells_over_http_are_opened_read_resized_and_closed(desk: Desk) -> None:
    made = await desk.client.post(f"{desk.at}/shells", {"columns": 100, "rows": 30})
    at = f"{desk.at}/shells/{made['id']}"
    listed = await desk.client.get(f"{desk.at}/shells")
    assert [each["id"] for each in listed["shells"]] == [made["id"]]
    read = await desk.client.get(at)
    assert read["text"].endswith("$ ") or read["text"].endswith("# ")
    assert read["next"] == read["size"]
    status, _ = await desk.client.call("PATCH", at, {"columns": 120, "rows": 40})
    assert status == 200
    status, _ = await desk.client.call("PATCH", at, {"columns": 0, "rows": 40})
    assert status == 422
    assert (await desk.client.call("DELETE", at))[0] == 204
    assert (await desk.client.call("DELETE", at))[0] == 404
    assert await desk.client.get(f"{desk.at}/shells") == {"shells": []}


async def test_a_sandbox_puts_nothing_into_a_folder_while_it_is_open(desk: Desk) -> None:
    before = sorted(desk.folder.rglob("*"))
    made = await desk.client.post(f"{desk.at}/shells", {})
    assert sorted(desk.folder.rglob("*")) == before
    await desk.client.call("DELETE", f"{desk.at}/shells/{made['id']}")


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE"])
async def test_another_persons_shell_is_not_there(desk: Desk, shared: Serving, method: str) -> None:
    made = await desk.client.post(f"{desk.at}/shells", {})
    async with shared.client(shared.token("other")) as other:
        body = {"columns": 1, "rows": 1} if method == "PATCH" else None
        status, _ = await other.call(method, f"{desk.at}/shells/{made['id']}", body)
        assert status == 404
    await desk.client.get(f"{desk.at}/shells/{made['id']}")


async def test_shells_end_with_a_server_that_is_killed(serving: Serving) -> None:
    async with serving.client() as client:
        project = (await client.get("/api/projects"))["projects"][0]
        await client.post(f"/api/projects/{project['id']}/shells", {})
    inside = _beneath(serving.pid)
    assert len(inside) >= 2
    await asyncio.to_thread(serving.kill)
    async with asyncio.timeout(10):
        while any(map(_runs, inside)):
            await asyncio.sleep(0.02)


def _beneath(pid: int) -> list[int]:
    """A process's children, and theirs."""
    found: list[int] = []
    for each in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, each.read_text().split()):
            found += (child, *_beneath(child))
    return found


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
