"""Errors in one shape, whatever somebody sent."""

import json

import pytest

from bottega.errors import NotFound, StorageFailed
from bottega.server import problems
from bottega.server.problems import LONGEST, Halt
from bottega.server.who import NotSignedIn


@pytest.mark.parametrize(
    ("said", "shown"),
    [("a\ud800b", "a?b"), ("\x00", "\x00"), ("é" * (LONGEST + 1), "é" * (LONGEST - 1) + "…")],
)
def test_a_sentence_can_always_be_said(said: str, shown: str) -> None:
    answer = problems.of(NotFound(said, hint=said))
    told = json.loads(bytes(answer.body))
    assert (told["detail"], told["hint"]) == (shown, shown)


def test_a_status_comes_with_the_headers_that_belong_to_it() -> None:
    assert problems.of(StorageFailed("The disk is full.")).headers["retry-after"] == "1"
    assert problems.of(NotSignedIn()).headers["www-authenticate"] == "Bearer"
    assert Halt(429, "too_often", "x", retry_after=0.2).response().headers["retry-after"] == "1"
    assert "retry-after" not in Halt(413, "too_large", "x").response().headers
