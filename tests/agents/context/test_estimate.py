"""Guesses of tokens, against what tokenizers and providers counted."""

import hashlib

import msgspec
import pytest

from bottega.agents.context import estimate
from bottega.agents.context.estimate import Calibration, tokens
from bottega.agents.context.measure import Answered, Gauge, calibrated, measure, scaled
from bottega.messages.block import Image, Text, ToolResult, ToolUse
from bottega.messages.message import Message, Usage, user
from bottega.providers.provider import Finished, ToolSpec
from tests.providers.recordings import RECORDINGS, Recording, needs_recordings, play

TABLE = "\n".join(f"{i},{i * 37 % 1000},{i * 1.234:.3f},row {i}" for i in range(500))
HASHES = "\n".join(hashlib.sha256(str(i).encode()).hexdigest() for i in range(100))
LINES = "\n".join(
    f"2026-11-16T02:5{i % 10}:{i % 60:02}.{i:03}Z INFO worker[{i * 7}] GET /api/v1/items/{i}?page=2 200 {i * 3}ms"
    for i in range(200)
)
CODE = (
    "#include <stdio.h>\nint main(int argc, char **argv) {\n\tfor (int i = 0; i < argc; ++i) {\n"
    '\t\tprintf("%s\\n", argv[i]);\n\t}\n\treturn 0;\n}\n'
) * 10
CHINESE = (
    "会话是一个只能追加的日志；每个存储的事件都有一个没有间断的编号。其他一切都由此推导，并且可以重建。"
    * 5
)
RUSSIAN = (
    "Сессия — это журнал, в который только дописывают; каждое сохранённое событие получает номер без пропусков."
    " Всё остальное выводится из него. "
) * 5


@pytest.mark.parametrize(
    ("text", "counted"),
    [(TABLE, 5499), (HASHES, 3742), (LINES, 7456), (CODE, 470), (CHINESE, 225), (RUSSIAN, 256)],
    ids=["table", "hashes", "lines", "code", "chinese", "russian"],
)
def test_a_guess_is_near_what_a_public_tokenizer_counts(text: str, counted: int) -> None:
    """The counts are those of the encoding cl100k."""
    assert tokens(text) == pytest.approx(counted, rel=0.2)


def test_a_long_text_is_guessed_from_parts_of_it() -> None:
    whole = sum(tokens(LINES) for _ in range(20))
    assert tokens(LINES * 20) == pytest.approx(whole, rel=0.05)
    assert len(LINES * 20) > estimate.WHOLE


def test_one_odd_count_cannot_move_the_factor_far() -> None:
    known = Calibration()
    for counted in (1300, 1310, 1290, 90_000, 1305):
        known.note(1000, counted)
    assert known.factor == pytest.approx(1.3, rel=0.02)
    known.note(1000, 0)
    assert known.factor == pytest.approx(1.3, rel=0.02)


def _asked(recording: Recording) -> tuple[float, Usage] | None:
    finished = [
        event
        for event in play(recording.kind, recording.body.encode())
        if isinstance(event, Finished)
    ]
    if not finished:
        return None
    return tokens(msgspec.json.encode(recording.request).decode()), finished[0].usage


@needs_recordings
def test_a_calibrated_guess_is_within_15_percent_of_what_a_provider_counts() -> None:
    """Real runs of one agent: what was counted for the first request tells what the later ones are."""
    runs = [
        each for each in RECORDINGS if "agent_run" in each.name or "multiple_agents" in each.name
    ]
    pairs = [found for each in runs if (found := _asked(each)) and found[1].input_tokens > 150]
    assert len(pairs) >= 8
    for number, (guessed, usage) in enumerate(pairs[1:], 1):
        known = Calibration()
        for earlier, counted in pairs[:number]:
            known.note(earlier * 1.0, counted.input_tokens)
        assert guessed * known.factor == pytest.approx(usage.input_tokens, rel=0.15)


@needs_recordings
def test_a_guess_of_a_long_answer_is_within_15_percent_of_what_a_provider_counts() -> None:
    checked = 0
    for recording in RECORDINGS:
        for event in play(recording.kind, recording.body.encode()):
            if not isinstance(event, Finished) or event.usage.reasoning_tokens:
                continue
            texts = [block for block in event.content if isinstance(block, Text)]
            if len(texts) != len(event.content) or event.usage.output_tokens < 200:
                continue
            text = "".join(block.text for block in texts)
            assert tokens(text) == pytest.approx(event.usage.output_tokens, rel=0.15)
            checked += 1
    assert checked >= 3


def test_the_parts_of_a_request_add_up_to_what_was_counted() -> None:
    messages = [
        Message("user", (Text("note", aside=True), Text("look at it"), Image("image/png", "aGk="))),
        Message("assistant", (Text("I look."), ToolUse("c", "read_file", {"file_path": "a"}))),
        Message("tool", (ToolResult("c", (Text("words " * 50),)),)),
    ]
    parts = measure(messages, "Be kind. Use tabs.", [ToolSpec("t", "does", {})], ["Use tabs."])
    assert all(count > 0 for count in parts.values()), parts
    whole = scaled(parts, 5000)
    assert sum(whole.values()) == 5000
    assert whole["media"] > whole["results"] > whole["words"]


def test_a_gauge_adds_what_came_since_to_what_was_counted() -> None:
    gauge = Gauge()
    history = [user("one " * 100), Message("assistant", (Text("yes"),))]
    assert 100 < gauge.total(history, 1000) - 1000 < 130
    gauge.answered(Usage(input_tokens=4000, output_tokens=60, reasoning_tokens=50))
    assert gauge.total(history) == 4010
    assert 4110 < gauge.total([*history, user("two " * 100)]) < 4130


def test_answers_teach_the_factor_of_their_model() -> None:
    history = [user("one " * 100), Message("assistant", (Text("yes " * 100),)), user("b " * 100)]
    answers = [Answered(1, Usage(input_tokens=2 * 1104)), Answered(3, Usage(input_tokens=2 * 1312))]
    assert calibrated(history, 1000, answers).factor == pytest.approx(2, rel=0.02)
