"""Many open shells: whose they are, and when they end."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.errors import NotFound, Problem, Refused
from bottega.sessions.session import HOST
from bottega.workspaces.confine import Root
from bottega.workspaces.outputs.outputs import Outputs
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.sandbox import Kind, Sandbox
from bottega.workspaces.shells.shells import BUFFER, Limits, NotStarted, Shells
from tests.workspaces.living import alive, new_mark, until, until_alive


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def few(tmp_path: Path, clock: Clock) -> AsyncIterator[Shells]:
    outputs = Outputs(tmp_path / "shells", head=0, tail=BUFFER)
    limits = Limits(idle=1_800, age=28_800, most=3)
    shells = Shells(Local(tmp_path / "state"), outputs, limits=limits, clock=clock)
    yield shells
    await shells.close_all()


@pytest.mark.requirement("T33", "T35")
async def test_a_shell_stays_until_it_is_closed(few: Shells, folder: Path) -> None:
    opened = await few.open(Root(folder), "ses_1")
    name = opened.shell.id
    assert few.get(str(folder), HOST, name) is opened
    assert await few.close(str(folder), HOST, name) == ()
    assert opened.shell.ended
    assert await few.close(str(folder), HOST, name) is None, "closing again changes nothing"
    with pytest.raises(NotFound, match="closed by shell_close"):
        few.get(str(folder), HOST, name)


async def test_an_unknown_id_is_told_with_those_that_are_open(few: Shells, folder: Path) -> None:
    with pytest.raises(NotFound, match="Open: none"):
        few.get(str(folder), HOST, "sh_1")
    opened = await few.open(Root(folder), "ses_1")
    told = rf"Open: {opened.shell.id} \(bash\)"
    with pytest.raises(NotFound, match=told):
        few.get(str(folder), HOST, "sh_1")
    with pytest.raises(NotFound, match=told):
        await few.close(str(folder), HOST, "sh_1")


async def test_a_shell_belongs_to_its_folder(few: Shells, folder: Path, tmp_path: Path) -> None:
    opened = await few.open(Root(folder), "ses_1")
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(NotFound, match="Open: none"):
        few.get(str(other), HOST, opened.shell.id)
    with pytest.raises(NotFound):
        await few.close(str(other), HOST, opened.shell.id)
    assert not opened.shell.ended
    assert few.list(str(other), HOST) == []
    assert few.list(str(folder), HOST) == [opened]


async def test_a_shell_that_nobody_uses_is_closed(few: Shells, folder: Path, clock: Clock) -> None:
    opened = await few.open(Root(folder), "ses_1")
    clock.now += 1_799
    await few.sweep()
    assert few.get(str(folder), HOST, opened.shell.id)
    await opened.shell.run("echo used", 20)
    clock.now += 1_799
    await few.sweep()
    assert few.get(str(folder), HOST, opened.shell.id), "each use counts anew"
    clock.now += 1
    await few.sweep()
    with pytest.raises(NotFound, match="Nothing was heard of it for 30 minutes"):
        few.get(str(folder), HOST, opened.shell.id)
    assert opened.shell.ended


async def test_output_counts_as_use(few: Shells, folder: Path, clock: Clock) -> None:
    opened = await few.open(Root(folder), "ses_1")
    await opened.shell.run("(until [ -e go ]; do sleep 0.01; done; echo news) & :", 20)
    clock.now += 1_700
    before = opened.shell.size
    (folder / "go").touch()
    await until(lambda: opened.shell.size > before)
    await until(lambda: few._used[opened.shell.id] == clock.now)
    clock.now += 200
    await few.sweep()
    assert few.get(str(folder), HOST, opened.shell.id)


async def test_a_shell_that_is_too_old_is_closed_though_it_is_used(
    few: Shells, folder: Path, clock: Clock
) -> None:
    opened = await few.open(Root(folder), "ses_1")
    for _ in range(16):
        clock.now += 1_790
        await opened.shell.run("true", 20)
        await few.sweep()
    assert few.get(str(folder), HOST, opened.shell.id)
    clock.now += 28_800 - 16 * 1_790
    await few.sweep()
    with pytest.raises(NotFound, match="It had been open for 8 hours"):
        few.get(str(folder), HOST, opened.shell.id)


async def test_time_is_watched_without_anyone_asking(tmp_path: Path, folder: Path) -> None:
    outputs = Outputs(tmp_path / "shells", head=0, tail=BUFFER)
    shells = Shells(Local(tmp_path / "state"), outputs, limits=Limits(idle=0.2))
    opened = await shells.open(Root(folder), "ses_1")
    async with asyncio.timeout(10):
        await asyncio.shield(opened.shell._life)
    assert shells.list(str(folder), HOST) == []
    await shells.close_all()


async def test_there_are_no_more_shells_than_allowed(
    few: Shells, folder: Path, tmp_path: Path
) -> None:
    some = [few.open(Root(folder), "ses_1") for _ in range(5)]
    found = await asyncio.gather(*some, return_exceptions=True)
    refused = [each for each in found if isinstance(each, Refused)]
    assert len(refused) == 2
    assert "already 3 open shells" in str(refused[0])
    other = tmp_path / "other"
    other.mkdir()
    await few.open(Root(other), "ses_1")
    await few.close(str(folder), HOST, few.list(str(folder), HOST)[0].shell.id)
    await few.open(Root(folder), "ses_1")
    assert Limits().most == 100


async def test_a_shell_that_ended_by_itself_is_gone_and_why_is_told(
    few: Shells, folder: Path
) -> None:
    opened = await few.open(Root(folder), "ses_1")
    await opened.shell.run("exit 3", 20)
    assert few.list(str(folder), HOST) == []
    with pytest.raises(NotFound, match="ended with exit code 3"):
        few.get(str(folder), HOST, opened.shell.id)
    assert await few.close(str(folder), HOST, opened.shell.id) is None


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("no-such-program-here", "not found"),
        ("echo some words; exit 4", "exit code 4.*some words"),
        ("'unbalanced", "Unterminated"),
    ],
)
async def test_a_program_that_does_not_stay_is_told_with_its_words(
    few: Shells, folder: Path, command: str, told: str
) -> None:
    with pytest.raises(NotStarted, match=f"(?s){told}"):
        await few.open(Root(folder), "ses_1", command)
    assert few.list(str(folder), HOST) == []


async def test_each_shell_is_in_a_sandbox_of_its_own(few: Shells, folder: Path) -> None:
    one, two = [(await few.open(Root(folder), "ses_1")).shell for _ in range(2)]
    mark = new_mark()
    await one.run(f"sleep {mark} &", 20)
    await until_alive(mark)
    reply = await two.run(f"ps ax 2>/dev/null | grep {mark} || cat /proc/[0-9]*/cmdline", 20)
    assert f"sleep\0{mark}" not in reply.output.ends(10_000).head
    await one.close()
    assert alive(mark) == []
    assert (await two.run("echo on", 20)).exit_code == 0


async def test_the_end_of_all_ends_all(few: Shells, folder: Path) -> None:
    mark = new_mark()
    for _ in range(2):
        opened = await few.open(Root(folder), "ses_1")
        await opened.shell.run(f"sleep {mark} &", 20)
    await until_alive(mark, 2)
    await few.close_all()
    assert alive(mark) == []


async def test_a_sandbox_that_cannot_be_had_is_told(tmp_path: Path, folder: Path) -> None:
    class Without:
        kind: Kind = "none"
        profile = ""

        async def trusted(self) -> str:
            return "never"

        async def open(self, folder: str, *, network: bool = False, person: int = 1) -> Sandbox:
            raise Problem("Commands do not run here.")

    shells = Shells(Without(), Outputs(tmp_path / "shells"))
    with pytest.raises(Problem, match="do not run"):
        await shells.open(Root(folder), "ses_1")


async def test_cancelling_an_opening_leaves_nothing(
    few: Shells, folder: Path, tmp_path: Path
) -> None:
    mark = new_mark()
    task = asyncio.create_task(few.open(Root(folder), "ses_1", f"sleep {mark}"))
    await until_alive(mark)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert alive(mark) == []
    assert few.list(str(folder), HOST) == []
    assert Outputs(tmp_path / "shells").names() == []


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock", "none"])
async def test_shells_work_in_every_kind_of_sandbox(
    kind: Kind, tmp_path: Path, folder: Path
) -> None:
    local = Local(tmp_path / "state", best=kind, unsandboxed=True)
    shells = Shells(local, Outputs(tmp_path / "shells", head=0, tail=BUFFER))
    mark = new_mark()
    shell = (await shells.open(Root(folder), "ses_1")).shell
    assert (await shell.run("cd /; X=1; (exit 3)", 20)).exit_code == 3
    reply = await shell.run("read -p 'Name? ' x; echo $x $X $PWD", 20)
    assert reply.waiting
    reply = await shell.send("Ada\n", 20)
    assert reply.output.ends(100).head == "Ada 1 /\n"
    await shell.run(f"setsid sleep {mark} & sleep {mark} &", 20)
    await until_alive(mark, 2)
    await shells.close_all()
    assert alive(mark) == []
