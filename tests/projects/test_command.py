"""`bottega projects`: who may work where, decided at this machine."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from bottega.cli.main import call


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def run(*words: str) -> tuple[int, str, str]:
        code = call(["--home", str(home), "projects", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_a_folder_is_added_listed_and_removed(
    run: Callable[..., tuple[int, str, str]], folder: Path
) -> None:
    assert "no projects" in run()[1]
    code, added, _ = run("add", str(folder), "--name", "Shop")
    assert code == 0
    code, listed, _ = run("list", "--json")
    assert msgspec.json.decode(listed) == [
        {"id": added.strip(), "name": "Shop", "person": "host", "folder": str(folder.resolve())}
    ]
    assert "Shop" in run()[1]
    assert run("remove", added.strip())[0] == 0
    assert "no projects" in run()[1]
    assert folder.is_dir()


def test_the_same_folder_again_is_the_same_project(
    run: Callable[..., tuple[int, str, str]], folder: Path
) -> None:
    assert run("add", str(folder))[1] == run("add", str(folder))[1]


def test_what_cannot_be_a_project_is_refused_in_one_sentence(
    run: Callable[..., tuple[int, str, str]], home: Path, folder: Path
) -> None:
    for place in ("/", str(home), str(home.parent)):
        code, _, said = run("add", place)
        assert code == 1
        assert "cannot be a project" in said
    assert run("add", str(folder / "none"))[0] == 2
    assert run("add", str(folder), "--for", "nobody")[0] == 1
    assert run("remove", "prj_none")[0] == 1
