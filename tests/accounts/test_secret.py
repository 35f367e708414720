"""The home's secret: made once, kept from others, never a weak one."""

import subprocess
import sys
from pathlib import Path

import pytest

from bottega.accounts.secret import mark_of, secret
from bottega.errors import Misconfigured


def test_the_first_start_makes_a_secret_that_only_its_owner_reads(tmp_path: Path) -> None:
    made = secret(tmp_path)
    assert len(made) >= 48
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]
    assert secret(tmp_path) == made


def test_no_two_homes_have_the_same_secret(tmp_path: Path) -> None:
    homes = [tmp_path / str(n) for n in range(5)]
    for home in homes:
        home.mkdir()
    assert len({secret(home) for home in homes}) == 5


def test_of_several_processes_that_make_it_at_once_all_have_the_same(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from bottega.accounts.secret import secret;"
        "sys.stdin.readline(); print(secret(Path(sys.argv[1])).decode())"
    )
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for racer in racers:
        assert racer.stdin
        racer.stdin.write("go\n")
        racer.stdin.flush()
    said = {racer.communicate(timeout=30)[0].strip() for racer in racers}
    assert said == {secret(tmp_path).decode()}


@pytest.mark.parametrize(
    "given",
    [
        "x",
        "secret",
        "your-secret-key-here",
        "change-me-change-me-change-me-change-me",
        "your-secret-key-here-change-in-production",
        "abcdefghijklmnopqrstuvwxyz0123456789",
        " " * 40,
        "0" * 64,
        "abcabcabcabcabcabcabcabcabcabcabcabcabc",
    ],
)
def test_a_weak_secret_is_refused(tmp_path: Path, given: str) -> None:
    with pytest.raises(Misconfigured, match=r"weak.*BOTTEGA_SECRET"):
        secret(tmp_path, given)


def test_an_emptied_secret_file_is_refused_not_filled_anew(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("")
    with pytest.raises(Misconfigured):
        secret(tmp_path)


def test_a_given_secret_counts_and_is_not_stored(tmp_path: Path) -> None:
    given = "kT9vQ2mX7pL4sR8wZ1nB6cF3hJ5dG0yA-uE_iO"
    assert secret(tmp_path, given) == given.encode()
    assert list(tmp_path.iterdir()) == []


def test_the_mark_tells_secrets_apart_and_nothing_of_them() -> None:
    assert mark_of(b"one") != mark_of(b"two")
    assert len(mark_of(b"one")) == 8


def test_the_server_does_not_start_with_a_weak_secret(tmp_path: Path) -> None:
    given = "your-secret-key-here-change-in-production"
    ended = subprocess.run(
        [sys.executable, "-m", "bottega", "--home", str(tmp_path / "home"), "serve", "--no-open"],
        env={"PYTHONPATH": ":".join(sys.path), "BOTTEGA_SECRET": given, "PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    assert "The secret is weak" in ended.stderr
    assert "your-secret" not in ended.stderr
    assert ended.stdout == ""
