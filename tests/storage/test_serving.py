"""Where the servers of a home are found."""

import json
import stat
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bottega.storage.serving import FILE, known, server_of

LATER = """
import sys
from pathlib import Path
from bottega.storage.serving import known

with known(Path(sys.argv[1]), "http://later"):
    print("serves", flush=True)
    sys.stdin.read()
"""


@contextmanager
def later(home: Path) -> Generator[subprocess.Popen[bytes]]:
    """Another process that serves in this home."""
    process = subprocess.Popen(
        [sys.executable, "-c", LATER, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout
        assert process.stdout.readline() == b"serves\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def address_of(home: Path) -> str:
    found = server_of(home)
    return found.address if found else ""


@pytest.mark.parametrize("killed", [False, True])
def test_when_the_later_of_two_servers_ends_the_earlier_one_is_found_again(
    tmp_path: Path, killed: bool
) -> None:
    with known(tmp_path, "http://earlier"), later(tmp_path) as process:
        assert address_of(tmp_path) == "http://later"
        if killed:
            process.kill()
        process.communicate()
        assert address_of(tmp_path) == "http://earlier"
        assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert address_of(tmp_path) == ""
    assert not (tmp_path / FILE).exists()


def test_when_the_earlier_server_ends_the_later_one_is_still_found(tmp_path: Path) -> None:
    earlier = known(tmp_path, "http://earlier")
    earlier.__enter__()
    with later(tmp_path):
        earlier.__exit__(None, None, None)
        assert address_of(tmp_path) == "http://later"
    assert address_of(tmp_path) == ""


def test_another_process_with_the_number_of_a_killed_server_is_not_taken_for_it(
    tmp_path: Path,
) -> None:
    """Whoever attaches would send a token to the port on which it listened."""
    with known(tmp_path, "http://killed"):
        noted = json.loads((tmp_path / FILE).read_bytes())
        for started in (noted["started"] - 1, 0):
            (tmp_path / FILE).write_text(json.dumps({**noted, "started": started}))
            assert address_of(tmp_path) == ""
        (tmp_path / FILE).write_text(json.dumps({**noted, "pid": "one"}))
        assert address_of(tmp_path) == ""
        (tmp_path / FILE).write_text(json.dumps(noted))
        assert address_of(tmp_path) == "http://killed"
