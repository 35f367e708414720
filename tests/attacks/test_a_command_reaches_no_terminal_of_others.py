"""A sandboxed command reads what is typed at other terminals of the same user, or writes to them. Severity: high.

Whoever types a password there gives it to the command; whoever reads there is shown faked prompts. A command has the
terminal that it was started on, and finds no other.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.sandbox import Kind, Size
from tests.workspaces.sandbox import rooms
from tests.workspaces.sandbox.needs import needs_bubblewrap, needs_landlock

KINDS = [
    pytest.param("bubblewrap", marks=needs_bubblewrap),
    pytest.param("landlock", marks=needs_landlock),
]
READS = '[ "$(tty)" = "$1" ] || timeout 0.5 head -c 6 "$1"'
WRITES = 'for each in /dev/pts/[0-9]* "$1"; do printf FAKED > "$each"; done'


@pytest.fixture
def terminal() -> Iterator[tuple[int, str]]:
    """Somebody's terminal: the end that shows it, and its name."""
    master, slave = os.openpty()
    os.set_blocking(master, False)
    try:
        yield master, os.ttyname(slave)
    finally:
        os.close(master)
        os.close(slave)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [None, Size(24, 80)], ids=["on-pipes", "on-a-terminal"])
async def test_a_command_neither_reads_nor_writes_anothers_terminal(
    tmp_path: Path, terminal: tuple[int, str], kind: Kind, size: Size | None
) -> None:
    shown, name = terminal
    os.write(shown, b"hunter2\n")
    with rooms.open_folder() as base:
        sandbox = await Local(tmp_path / "state", best=kind).open(Root(base))
        try:
            for script in (READS, WRITES):
                done = await rooms.run(sandbox, "sh", "-c", script, "sh", name, terminal=size)
                assert "hunter" not in done.out
        finally:
            await sandbox.close()
    assert b"FAKED" not in os.read(shown, 10_000), "no more than the echo of what was typed"


@needs_landlock
async def test_a_command_still_has_the_terminal_that_it_was_started_on(tmp_path: Path) -> None:
    script = "tty && stty size && [ -t 0 ] && echo told > /dev/tty"
    with rooms.open_folder() as base:
        sandbox = await Local(tmp_path / "state", best="landlock").open(Root(base))
        try:
            done = await rooms.run(sandbox, "sh", "-c", script, terminal=Size(31, 91))
            assert done.code == 0, done.out
            assert "31 91" in done.out
            assert "told" in done.out
        finally:
            await sandbox.close()
