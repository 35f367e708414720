"""Severity: medium. However a file is made, reading it over and over keeps nobody else waiting."""

from collections.abc import Iterator

import pytest

from bottega.projects.files.limits import PIECE, WHOLE
from tests.attacks.hostile import Person, Target, target

FILES = {
    "six bytes each in JSON": b"\x01" * WHOLE,
    "two bytes each": b'"' * WHOLE,
    "two kinds of ends": b"\r" * (WHOLE // 2) + b"\n" * (WHOLE // 2),
    "plain": b"a" * WHOLE,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("file")) as started:
        for name, body in FILES.items():
            (started.folder / name.replace(" ", "_")).write_bytes(body)
        yield started


@pytest.mark.parametrize("name", FILES)
def test_a_read_takes_a_bounded_answer_and_no_time_of_the_loop(server: Target, name: str) -> None:
    with Person(server) as host:
        project = host.call("GET", "/api/projects")[1]["projects"][0]["id"]
        server.lines.clear()
        path = f"/api/projects/{project}/file?path={name.replace(' ', '_')}"
        for _ in range(2):
            status, page = host.call("GET", path)
            assert status == 200, page
        body = FILES[name]
        assert page["size"] == WHOLE
        if page["next"] < WHOLE:
            assert len(page["content"]) <= PIECE
            page = host.call("GET", f"{path}&offset={page['next']}")[1]
        else:
            assert page["content"].encode() == body
    assert server.stalls(0.1) == []
