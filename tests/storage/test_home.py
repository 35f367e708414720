"""The home: who uses it, who is alive in it, and where it may not be."""

from pathlib import Path

import pytest

from bottega.errors import Misconfigured, StorageFailed
from bottega.storage.home import Home, Life, file_system, is_dead, refuse_network
from tests.processes import running

MOUNTS = r"""21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 21 0:25 / /mnt/share rw,relatime shared:9 - nfs4 server:/export rw,vers=4.2
31 21 0:26 / /mnt/my\040disk rw,relatime - cifs //server/disk rw
32 30 8:2 / /mnt/share/local rw,relatime - ext4 /dev/sdb1 rw
33 21 0:40 / /home/back\134slash rw - fuse.sshfs host: rw
"""

LIVE = """
    import sys
    from pathlib import Path
    from bottega.storage.home import Home, Life
    home = Home(Path(sys.argv[1]))
    home.enter()
    life = Life(home, "wrk_1")
    print("alive", flush=True)
    sys.stdin.read()
    life.end()
    print("ended", flush=True)
    """


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me", "ext4"),
        ("/mnt/share", "nfs4"),
        ("/mnt/share/home", "nfs4"),
        ("/mnt/sharedother", "ext4"),
        ("/mnt/my disk/home", "cifs"),
        ("/mnt/share/local/home", "ext4"),
        ("/home/back\\slash/x", "fuse.sshfs"),
    ],
)
def test_the_file_system_of_a_path_is_that_of_its_nearest_mount(path: str, kind: str) -> None:
    assert file_system(path, MOUNTS) == kind


def test_a_home_on_a_network_file_system_is_refused() -> None:
    with pytest.raises(Misconfigured, match="network file system") as refused:
        refuse_network(Path("/mnt/share/home"), MOUNTS)
    assert "BOTTEGA_HOME" in refused.value.hint
    refuse_network(Path("/mnt/share/local/home"), MOUNTS)


def test_a_link_to_a_network_file_system_is_refused(tmp_path: Path) -> None:
    far = tmp_path / "far"
    far.mkdir()
    (tmp_path / "near").symlink_to(far)
    mounts = f"1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:9 / {far} rw - nfs server:/ rw\n"
    with pytest.raises(Misconfigured):
        refuse_network(tmp_path / "near" / "home", mounts)


def test_without_a_table_of_mounts_nothing_is_refused() -> None:
    refuse_network(Path("/mnt/share/home"), "")


def test_a_home_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageFailed, match="cannot be used") as failed:
        Home(tmp_path / "file").enter()
    assert "BOTTEGA_HOME" in failed.value.hint


def test_a_home_is_for_its_owner_alone(home: Home) -> None:
    home.enter()
    assert home.path.stat().st_mode & 0o077 == 0
    home.leave()


def test_two_processes_use_a_home_together_but_neither_alone(home: Home) -> None:
    home.enter()
    assert home.alone()
    home.together()
    with running(LIVE, home.path):
        assert not home.alone()
        home.together()
    assert home.alone()
    home.leave()


def test_a_worker_lives_until_it_is_killed(home: Home) -> None:
    home.enter()
    with running(LIVE, home.path) as process:
        assert not is_dead(home, "wrk_1")
        process.kill()
        process.wait(20)
        assert is_dead(home, "wrk_1")
        assert is_dead(home, "wrk_1"), "asked twice"
    home.leave()


def test_a_worker_that_ends_in_order_is_dead_too(home: Home) -> None:
    home.enter()
    with running(LIVE, home.path) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.close()
        assert process.stdout.readline() == "ended\n"
        assert is_dead(home, "wrk_1")
        process.stdin = None
    home.leave()


def test_a_worker_of_this_process_is_seen_to_live(home: Home) -> None:
    home.enter()
    life = Life(home, "wrk_2")
    assert not is_dead(home, "wrk_2")
    life.end()
    assert is_dead(home, "wrk_2")
    assert is_dead(home, "never was")
    home.leave()
