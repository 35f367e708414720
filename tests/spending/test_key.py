"""The ring of keys: secret at rest, whole after any crash, the same for all processes."""

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from bottega.errors import BadUsage, Misconfigured, NotFound, Problem, StorageFailed
from bottega.spending.key import KeyRing, masked

KEY = "sk-canary-0123456789abcdef"
OTHER = "sk-second-9876543210fedcba"
AT = "https://example.org"

POINTS = ("key.before_write", "key.before_sync", "key.before_rename", "key.after_rename")


def _in_a_process(home: Path, code: str, failpoints: str = "") -> subprocess.CompletedProcess[str]:
    program = (
        "import sys; from pathlib import Path; from bottega.spending.key import KeyRing; "
        f"ring = KeyRing(Path(sys.argv[1])); {code}"
    )
    return subprocess.run(
        [sys.executable, "-c", program, str(home)],
        env={**os.environ, "BOTTEGA_FAILPOINTS": failpoints},
        capture_output=True,
        text=True,
        check=False,
    )


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_key_comes_back_as_it_was_stored(tmp_path: Path) -> None:
    KeyRing(tmp_path).set("openai", f" {KEY}\n", AT)
    KeyRing(tmp_path).set("gemini", OTHER, AT)
    ring = KeyRing(tmp_path)
    assert ring.get("openai", AT) == KEY
    assert ring.all() == {"openai": KEY, "gemini": OTHER}
    assert ring.get("anthropic", AT) is None


def test_a_home_without_keys_has_none_and_stays_untouched(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "home")
    assert ring.get("openai", AT) is None
    assert ring.all() == {}
    assert list(ring.list()) == []
    assert not (tmp_path / "home").exists()


def test_a_new_key_replaces_the_old_one(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ring.set("openai", KEY, AT)
    ring.set("openai", OTHER, AT)
    assert ring.all() == {"openai": OTHER}


def test_keys_are_shown_masked_with_their_time(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ring.set("openai", KEY, AT)
    ring.set("anthropic", "short", AT)
    first, second = ring.list()
    assert (first.provider, first.masked) == ("anthropic", "…")
    assert (second.provider, second.masked) == ("openai", "sk-…cdef")
    assert 1_700_000_000_000 < second.at < 2**53


def test_a_removed_key_is_gone(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ring.set("openai", KEY, AT)
    ring.remove("openai")
    assert ring.get("openai", AT) is None
    with pytest.raises(NotFound, match="No key is stored for 'openai'"):
        ring.remove("openai")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_all_files_are_the_owners_alone(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        KeyRing(tmp_path / "home").set("openai", KEY, AT)
    finally:
        os.umask(before)
    home = tmp_path / "home"
    assert _mode(home) == 0o700
    assert {path.name for path in home.iterdir()} == {"keys.json", "keys.lock", "master.key"}
    assert {_mode(path) for path in home.iterdir()} == {0o600}


def test_no_file_holds_a_key_in_the_clear(tmp_path: Path) -> None:
    KeyRing(tmp_path).set("openai", KEY, AT)
    for path in tmp_path.iterdir():
        assert KEY.encode() not in path.read_bytes()
        assert KEY[5:-5].encode() not in path.read_bytes()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660, 0o620, 0o601])
def test_a_master_key_open_to_others_is_refused(tmp_path: Path, mode: int) -> None:
    home = tmp_path / "my home"
    ring = KeyRing(home)
    ring.set("openai", KEY, AT)
    (home / "master.key").chmod(mode)
    for use in (lambda: ring.get("openai", AT), lambda: ring.set("gemini", OTHER, AT)):
        with pytest.raises(Misconfigured) as caught:
            use()
        assert f"(mode {mode:04o})" in caught.value.message
        assert caught.value.hint == f"Type: chmod 600 '{home}/master.key'"
    subprocess.run(caught.value.hint.removeprefix("Type: "), shell=True, check=True)
    assert ring.get("openai", AT) == KEY


def test_a_lost_master_key_is_said_and_loses_nothing_more(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ring.set("openai", KEY, AT)
    ring.set("gemini", OTHER, AT)
    shutil.move(tmp_path / "master.key", tmp_path / "backup")
    for use in (lambda: ring.get("openai", AT), ring.all, lambda: ring.set("openai", KEY, AT)):
        with pytest.raises(Misconfigured, match="is gone") as caught:
            use()
        assert "bottega keys rm" in caught.value.hint
    assert [key.provider for key in ring.list()] == ["gemini", "openai"]
    shutil.move(tmp_path / "backup", tmp_path / "master.key")
    assert ring.all() == {"openai": KEY, "gemini": OTHER}


def test_after_a_lost_master_key_one_can_start_anew(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ring.set("openai", KEY, AT)
    ring.set("gemini", OTHER, AT)
    (tmp_path / "master.key").unlink()
    ring.remove("gemini")
    ring.set("openai", OTHER, AT)
    assert ring.all() == {"openai": OTHER}


def test_a_key_under_another_master_key_is_said(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "a")
    ring.set("openai", KEY, AT)
    KeyRing(tmp_path / "b").set("x", OTHER, AT)
    shutil.copy(tmp_path / "b/master.key", tmp_path / "a/master.key")
    with pytest.raises(Misconfigured, match="under another master key") as caught:
        ring.get("openai", AT)
    assert caught.value.hint == "Set it again: bottega keys set openai"


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 44, b"A" * 2000])
def test_a_damaged_master_key_is_said(tmp_path: Path, content: bytes) -> None:
    ring = KeyRing(tmp_path)
    ring.set("openai", KEY, AT)
    (tmp_path / "master.key").write_bytes(content)
    with pytest.raises(Misconfigured, match="is damaged"):
        ring.get("openai", AT)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"keys": {"openai": 5}}', b"\xff\xfe", b'{"keys": {"a": {}}}']
)
def test_a_damaged_file_of_keys_is_said_and_not_overwritten(tmp_path: Path, content: bytes) -> None:
    ring = KeyRing(tmp_path)
    (tmp_path / "keys.json").write_bytes(content)
    for use in (lambda: ring.get("openai", AT), lambda: ring.set("openai", KEY, AT), ring.list):
        with pytest.raises(Misconfigured, match="is damaged"):
            use()
    assert (tmp_path / "keys.json").read_bytes() == content


def test_a_newer_file_of_keys_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text('{"version": 3, "keys": {}}')
    with pytest.raises(Misconfigured, match="newer version"):
        KeyRing(tmp_path).set("openai", KEY, AT)


@pytest.mark.parametrize("key", ["", "  ", "sk canary", "sk-canary\nx", "sk-…", "sk-\x00"])
def test_what_can_be_no_key_is_refused_without_being_shown(tmp_path: Path, key: str) -> None:
    with pytest.raises(BadUsage) as caught:
        KeyRing(tmp_path).set("openai", key, AT)
    assert "canary" not in str(caught.value)
    assert not (tmp_path / "keys.json").exists()


@pytest.mark.parametrize("provider", ["", "a/b", "a\nb"])
def test_a_provider_needs_a_plain_name(tmp_path: Path, provider: str) -> None:
    with pytest.raises(BadUsage, match="cannot be called"):
        KeyRing(tmp_path).set(provider, KEY, AT)


def test_no_exception_or_repr_holds_a_key(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ring.set("openai", KEY, AT)
    said = [repr(ring), repr(ring.list()), masked(KEY)]
    (tmp_path / "master.key").write_bytes(b"damaged")
    for use in (lambda: ring.get("openai", AT), lambda: ring.set("openai", KEY, AT)):
        with pytest.raises(Problem) as caught:
            use()
        said.append("".join(traceback.format_exception(caught.value)))
    assert KEY not in "".join(said)


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    with pytest.raises(StorageFailed) as caught:
        KeyRing(tmp_path / "home").set("openai", KEY, AT)
    assert "home" in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("name", ["keys.json", "master.key"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    ring = KeyRing(tmp_path)
    ring.set("openai", KEY, AT)
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    with pytest.raises(StorageFailed, match=name):
        ring.get("openai", AT)


@pytest.mark.parametrize("point", POINTS)
def test_a_full_disk_keeps_what_was_there(tmp_path: Path, point: str) -> None:
    KeyRing(tmp_path).set("openai", KEY, AT)
    done = _in_a_process(tmp_path, f"ring.set('gemini', {OTHER!r}, {AT!r})", f"{point}=error")
    assert done.returncode == 1
    assert "StorageFailed" in done.stderr
    assert OTHER not in done.stderr.replace(f"ring.set('gemini', {OTHER!r}, {AT!r})", "")
    assert KeyRing(tmp_path).get("openai", AT) == KEY


@pytest.mark.chaos
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_any_point_loses_no_key(tmp_path: Path, point: str, count: int) -> None:
    """The first write makes the master key, the second the file of keys; then one more of each."""
    done = _in_a_process(tmp_path, f"ring.set('openai', {KEY!r}, {AT!r})", f"{point}=kill@{count}")
    assert done.returncode == -signal.SIGKILL
    ring = KeyRing(tmp_path)
    assert ring.get("openai", AT) in (None, KEY)
    ring.set("openai", KEY, AT)
    done = _in_a_process(tmp_path, f"ring.set('openai', {OTHER!r}, {AT!r})", f"{point}=kill@1")
    assert done.returncode == -signal.SIGKILL
    assert ring.get("openai", AT) == (OTHER if point == "key.after_rename" else KEY)
    ring.set("gemini", KEY, AT)
    assert {path.name for path in tmp_path.iterdir()} == {"keys.json", "keys.lock", "master.key"}


@pytest.mark.chaos
def test_processes_that_race_share_one_master_key_and_lose_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    code = (
        "import sys; from pathlib import Path; from bottega.spending.key import KeyRing\n"
        "import cryptography.fernet\n"
        "ring = KeyRing(Path(sys.argv[1])); print('ready', flush=True); sys.stdin.readline()\n"
        "for n in range(20): ring.set(f'{sys.argv[2]}-{n}', f'key-of-{sys.argv[2]}-{n}', 'https://example.org')\n"
    )
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(home), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("ann", "bob")
    ]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    assert [racer.wait(30) for racer in racers] == [0, 0]
    for racer in racers:
        for pipe in (racer.stdin, racer.stdout):
            assert pipe is not None
            pipe.close()
    expected = {f"{who}-{n}": f"key-of-{who}-{n}" for who in ("ann", "bob") for n in range(20)}
    assert KeyRing(home).all() == expected


def test_the_file_of_keys_is_plain_json_for_people(tmp_path: Path) -> None:
    KeyRing(tmp_path).set("openai", KEY, AT)
    text = (tmp_path / "keys.json").read_text()
    assert re.search(r'"openai": \{\s+"secret": "gAAAA', text)
