"""Severity: medium. What another side repeats is cut: a key that stands at the cut is hidden all the same."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bottega.mcp.problems import plain
from bottega.mcp.secrets import Secrets
from bottega.mcp.stdio import _TAIL, _WORDS, _Tail  # pyright: ignore[reportPrivateUsage]
from bottega.providers.http.redaction import redact
from bottega.providers.openai.broken import no_answer
from bottega.providers.protocol.explain import MAX_DETAIL
from bottega.studio import Studio
from tests.attacks.sinks import Heard, sink

KEY = "local-gateway-password-7f3a"
PARTS = [KEY[at : at + 4] for at in range(len(KEY) - 3)]


def tells(text: str) -> list[str]:
    """The parts of the key that stand there."""
    return [part for part in PARTS if part in text]


@pytest.mark.parametrize("lost", [0, 1, 3, 12, 22])
async def test_at_the_end_of_what_a_provider_says(
    home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    start = "Unknown model; request was: Authorization: Bearer "
    pad = "x" * (MAX_DETAIL - 1 - len(KEY) + lost - len(start) - 1)
    body = json.dumps({"error": {"message": f"{pad} {start}{KEY} and so on, and on and on"}})

    def answer(_: Heard) -> tuple[int, dict[str, str], bytes]:
        return 400, {"Content-Type": "application/json"}, body.encode()

    with sink() as server:
        server.answer = answer
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        async with Studio(home) as studio:
            session = await studio.start(model="openai-chat/any", folder=folder)
            told = [event async for event in session.prompt("go")]
    said = [event.data.message for event in told if event.type == "error_message"]
    assert said
    assert "Bearer" in said[-1]
    assert [tells(each) for each in said] == [[]] * len(said)


@pytest.mark.parametrize("lost", [1, 3, 12])
async def test_at_the_beginning_of_a_programs_last_words(lost: int) -> None:
    for size in (_WORDS, _TAIL):
        tail = _Tail()
        read, write = os.pipe()
        tail.follow(read)
        os.write(write, f"TOKEN={KEY} ".encode() + b"y" * (size - 1 - len(KEY) + lost))
        os.close(write)
        await tail.end()
        assert tells(Secrets({}, frozenset({KEY})).without(tail.text())) == []


@pytest.mark.parametrize(
    "cut",
    [
        lambda text: plain(text, 300),
        lambda text: no_answer(text.encode()).message,
    ],
    ids=["mcp", "another protocol"],
)
def test_at_every_place_of_a_cut(cut: Callable[[str], str]) -> None:
    for at in range(150, 320):
        text = cut(f"{'x' * at} {KEY} {'y' * 400}")
        assert tells(redact(text, {KEY}, "[hidden]")) == [], at


def test_words_that_no_cut_stands_beside_are_left() -> None:
    text = "The local model said local… and way-password was wrong"
    assert redact(text, {KEY}, "[hidden]") == text.replace("local…", "[hidden]…")
