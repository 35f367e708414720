"""Severity: high (H5, its kind). The patterns of a `.gitignore`, which anybody's repository brings, freeze nothing."""

import shutil
from collections.abc import Iterator

import pytest

from tests.attacks.hostile import Person, Target, target
from tests.attacks.test_a_crowded_body_freezes_nothing import QUICK, Watch

DEEP = "/".join(["a"] * 300)
PATTERNS = {
    "any depth": "\n".join(f"**/a/**/a/**/a/z{n}" for n in range(1000)),
    "long": "\n".join(["**/" + "a/" * 250 + "z"] * 128),
    "stars": "\n".join("*a" * 30 + f"z{n}" for n in range(1000)),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("gitignore")) as started:
        (started.folder / DEEP).mkdir(parents=True)
        started.token("guest")
        yield started
        shutil.rmtree(started.folder / "a")


@pytest.mark.parametrize("kind", PATTERNS)
def test_the_patterns_of_a_deep_folder_cost_little(server: Target, kind: str) -> None:
    (server.folder / ".gitignore").write_text(PATTERNS[kind])
    with Person(server) as host, Watch(server, "guest") as other:
        project = host.call("GET", "/api/projects")[1]["projects"][0]["id"]
        took, status, answer = host.timed("GET", f"/api/projects/{project}/files?path={DEEP}")
        assert status == 200, answer
    assert took < 2
    assert other.worst < QUICK
