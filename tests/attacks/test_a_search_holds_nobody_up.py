"""Severity: medium (M7). A search that repeats what a text repeats costs no more than any other."""

import threading
import uuid
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.attacks.hostile import Person, Target, target
from tests.hunt import LONG

TEXT = "a-" * 30_000 + "b"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("search")) as started:
        with Person(started) as host:
            for _ in range(30 if LONG else 15):
                session = host.session()
                prompt = {"message_id": str(uuid.uuid4()), "content": TEXT}
                assert host.call("POST", f"/api/sessions/{session}/prompts", prompt)[0] == 202
            host.call("GET", "/api/search?q=warm")
        started.lines.clear()  # what a first exchange has to load is not what is looked for
        yield started


@pytest.mark.parametrize("parts", [200, 100, 30, 16, 2] if LONG else [200, 16])
@pytest.mark.parametrize("between", ["-", " ", ".", "-b-"])
def test_no_query_takes_long_or_holds_others_up(server: Target, parts: int, between: str) -> None:
    query = quote(between.join(["a"] * parts) + "-b")
    others: list[float] = []
    done = threading.Event()

    def other() -> None:
        with Person(server) as host:
            while not done.is_set():
                others.append(host.timed("GET", "/api/me")[0])

    beside = threading.Thread(target=other)
    beside.start()
    try:
        with Person(server) as host:
            took, status, answer = host.timed("GET", f"/api/search?limit=200&q={query}")
    finally:
        done.set()
        beside.join()
    assert status in (200, 400, 422), answer
    assert took < 8
    assert max(others) < 0.5


def test_what_is_found_is_still_marked(server: Target) -> None:
    with Person(server) as host:
        hits = host.call("GET", "/api/search?q=a-a-a&limit=200")[1]["hits"]
    assert len(hits) >= 10  # what waits for its turn is not said yet
    assert all("«a-a-a" in hit["snippet"] and len(hit["snippet"]) < 800 for hit in hits[:5])
    assert server.stalls(0.2) == [], server.stalls(0.2)
