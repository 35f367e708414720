"""Approval is of exactly what was written down, survives a crash whole, and is told when it no longer holds."""

import stat
from pathlib import Path

import msgspec
import pytest

from bottega.errors import Misconfigured, StorageFailed
from bottega.mcp.approved import Approved
from bottega.mcp.server import McpServer, fingerprint
from tests import processes

SERVER = McpServer(command="node", args=("a.js",), env={"TOKEN": "$HUB"})
POINTS = ("whole.before_sync", "whole.before_rename", "whole.after_rename")


def test_a_server_is_approved_as_it_is_and_not_otherwise(home: Path) -> None:
    approved = Approved(home)
    assert approved.state("a", SERVER) == "new"

    approved.approve("a", SERVER)

    assert approved.state("a", SERVER) == "approved"
    assert approved.state("b", SERVER) == "new"
    assert stat.S_IMODE((home / "mcp.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "change",
    [
        {"command": "bun"},
        {"args": ("b.js",)},
        {"args": ("a.js", "--all")},
        {"env": {"TOKEN": "$OTHER"}},
        {"env": {"TOKEN": "$HUB", "NODE_OPTIONS": "--require=/tmp/x.js"}},
        {"env": {}},
        {"network": True},
        {"visible": ("/etc",)},
    ],
)
def test_whatever_decides_what_runs_voids_the_approval(
    home: Path, change: dict[str, object]
) -> None:
    approved = Approved(home)
    approved.approve("a", SERVER)

    assert approved.state("a", msgspec.structs.replace(SERVER, **change)) == "changed"


def test_what_decides_nothing_of_that_does_not() -> None:
    same = msgspec.structs.replace(SERVER, timeout=5.0, tools=("x",))

    assert fingerprint(same) == fingerprint(SERVER)


def test_an_address_is_bound_with_its_headers_names_and_values() -> None:
    hub = McpServer(url="https://hub.example/mcp", headers={"Authorization": "Bearer $A"})
    others = [
        McpServer(url="https://evil.example/mcp", headers={"Authorization": "Bearer $A"}),
        McpServer(url="https://hub.example/mcp", headers={"Authorization": "Bearer $B"}),
        McpServer(url="https://hub.example/mcp", headers={"X-Key": "Bearer $A"}),
        McpServer(url="https://hub.example/mcp"),
    ]

    assert len({fingerprint(each) for each in (hub, *others)}) == 5


def test_arguments_cannot_be_moved_about() -> None:
    split = McpServer(command="sh", args=("-c", "a b"))
    joined = McpServer(command="sh", args=("-c a", "b"))

    assert fingerprint(split) != fingerprint(joined)


def test_a_secret_written_down_is_not_in_the_file(home: Path) -> None:
    Approved(home).approve("a", McpServer(command="x", env={"TOKEN": "canary-123456"}))

    assert "canary" not in (home / "mcp.json").read_text()


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_while_saving_leaves_the_old_or_the_new(home: Path, point: str) -> None:
    approved = Approved(home)
    approved.approve("a", SERVER)
    code = """
        import sys
        from pathlib import Path
        from bottega.mcp.approved import Approved
        from bottega.mcp.server import McpServer
        Approved(Path(sys.argv[1])).approve("b", McpServer(command="x"))
    """

    done = processes.run(code, home, failpoints=f"{point}=kill")

    assert done.returncode == -9, done.stderr
    assert approved.state("a", SERVER) == "approved"
    assert approved.state("b", McpServer(command="x")) == (
        "approved" if point == "whole.after_rename" else "new"
    )
    approved.approve("c", SERVER)
    assert approved.state("c", SERVER) == "approved"


def test_processes_that_approve_at_the_same_time_lose_nothing(home: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; from pathlib import Path; from bottega.mcp.approved import Approved;"
        "from bottega.mcp.server import McpServer; a = Approved(Path(sys.argv[1]));"
        "[a.approve(f'{sys.argv[2]}-{n}', McpServer(command='x')) for n in range(10)]"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, home, str(n)]) for n in range(3)]

    assert [each.wait(20) for each in running] == [0, 0, 0]
    found = Approved(home)
    names = [f"{n}-{m}" for n in range(3) for m in range(10)]
    assert {found.state(name, McpServer(command="x")) for name in names} == {"approved"}


def test_a_count_of_tools_is_kept_for_what_is_approved_only(home: Path) -> None:
    approved = Approved(home)
    approved.approve("a", SERVER)

    approved.count("a", msgspec.structs.replace(SERVER, network=True), 9)
    approved.count("b", SERVER, 9)
    assert [approved.entry("a") and approved.entry("a").tools, approved.entry("b")] == [None, None]  # pyright: ignore

    approved.count("a", SERVER, 12)
    entry = approved.entry("a")
    assert entry
    assert entry.tools == 12


@pytest.mark.parametrize(
    ("content", "told"),
    [(b"{", "is damaged"), (b"\xff", "is damaged"), (b'{"version": 9}', "newer version")],
)
def test_a_file_that_cannot_be_read_starts_nothing_and_says_what_to_do(
    home: Path, content: bytes, told: str
) -> None:
    home.mkdir()
    (home / "mcp.json").write_bytes(content)

    with pytest.raises(Misconfigured, match=told):
        Approved(home).state("a", SERVER)


def test_a_home_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StorageFailed, match="cannot be used"):
        Approved(tmp_path / "file").approve("a", SERVER)
    (tmp_path / "mcp.json").mkdir()
    with pytest.raises(StorageFailed, match="cannot be used"):
        Approved(tmp_path).state("a", SERVER)
