"""A stranger sends queries that cannot be read, to be counted by nothing and to fill the log. Severity: high."""

import http.client
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tests.attacks.hostile import Target, target


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    with target(tmp_path_factory.mktemp("query")) as started:
        yield started


def test_very_many_fields_are_refused_and_counted_like_any_other_request(server: Target) -> None:
    place = urlsplit(server.address)
    wire = http.client.HTTPConnection(place.hostname or "", place.port, timeout=30)
    fields = "&".join(f"a{n}=1" for n in range(101))
    answers: Counter[int] = Counter()
    for _ in range(800):
        wire.request("GET", f"/api/me?ticket=x&{fields}")
        answer = wire.getresponse()
        answer.read()
        answers[answer.status] += 1
    wire.close()
    assert set(answers) == {401, 429}, answers
    assert not any("Traceback" in str(line) for line in server.lines)
