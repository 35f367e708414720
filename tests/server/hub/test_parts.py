"""Tickets, rates, frames and joined bytes, each by itself."""

import json
from typing import Any

import msgspec
import pytest

from bottega.accounts.people import Person
from bottega.errors import Problem
from bottega.server import tickets
from bottega.server.following.rate import Rate
from bottega.server.hub import frames
from bottega.server.hub.frames import heard
from bottega.server.hub.join import LARGEST, head, joined
from bottega.server.tickets import Tickets
from bottega.sessions.feed import Frame

ADA = Person(1, "per_1", "host", 0, 0)


class Clock:
    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


def test_a_ticket_is_good_once() -> None:
    made = Tickets()
    words = made.give(ADA, "words", "token")
    assert len(words) > 40
    taken = made.take(words)
    assert taken
    assert taken.person == ADA
    assert made.take(words) is None


def test_a_ticket_is_good_for_half_a_minute() -> None:
    clock = Clock()
    made = Tickets(clock)
    early, late = (made.give(ADA, "words", "token") for _ in range(2))
    clock.at += 29.9
    assert made.take(early)
    clock.at += 0.2
    assert made.take(late) is None


def test_tickets_that_nobody_uses_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tickets, "MOST", 3)
    clock = Clock()
    made = Tickets(clock)
    given = [made.give(ADA, "words", "token") for _ in range(4)]
    assert made.take(given[0]) is None
    assert made.take(given[1])
    clock.at += 31
    made.give(ADA, "words", "token")
    assert len(made) == 1


def test_who_sends_more_than_the_rate_is_read_more_slowly() -> None:
    clock = Clock()
    rate = Rate(10, 5, clock)
    assert [rate.owed() for _ in range(5)] == [0] * 5
    assert rate.owed() == pytest.approx(0.1)
    assert rate.owed() == pytest.approx(0.2)
    assert not rate.is_calm
    clock.at += 60
    assert [rate.owed() for _ in range(5)] == [0] * 5


def test_a_frame_of_events_is_the_stored_bytes_side_by_side() -> None:
    rows = [(4, b'{"type":"a"}'), (5, b'{"type":"b","data":{"text":"\xc3\xa9"}}')]
    (part,) = joined(Frame(rows, (2, 3)))
    assert part.last == 5
    text = head("t", "s") + part.tail
    assert text == (
        b'{"type":"events","tab_id":"t","session_id":"s","events":'
        b'[[4,{"type":"a"}],[5,{"type":"b","data":{"text":"\xc3\xa9"}}]],"trimmed":[2,3]}'
    )
    assert json.loads(text)["trimmed"] == [2, 3]


def test_many_events_become_several_frames_and_a_large_one_stands_alone() -> None:
    sizes = [LARGEST // 2, LARGEST // 2, 10, 3 * LARGEST, 10, 10]
    rows = [(i, b'"' + b"x" * size + b'"') for i, size in enumerate(sizes, 1)]
    parts = list(joined(Frame(rows, (0, 0))))
    found = [json.loads(head("t", "s") + part.tail) for part in parts]
    assert [[i for i, _ in each["events"]] for each in found] == [[1], [2, 3], [4], [5, 6]]
    assert [part.last for part in parts] == [1, 3, 4, 6]
    assert ["trimmed" in each for each in found] == [True, False, False, False]


def test_a_frame_without_a_type_is_a_simple_prompt() -> None:
    got = heard('{"message":"hi","project_id":"p","container_id":null,"ref":7}')
    assert isinstance(got.frame, frames.Simple)
    assert got.frame.message == "hi"
    assert got.ref == 7


TAB = "52bd75c9-64df-4738-958a-5fc52092ddfa"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "nonsense",
        "[]",
        "null",
        "1e999",
        "{}",
        '{"type":1}',
        '{"type":"no-such-frame"}',
        '{"type":"ping","more":1}',
        '{"type":"new-tab"}',
        '{"type":"new-tab","tab_id":"x"}',
        f'{{"type":"new-tab","tab_id":"{TAB}\\n"}}',
        f'{{"type":"new-tab","tab_id":"{TAB}","after":-1}}',
        f'{{"type":"new-tab","tab_id":"{TAB}","after":1e30}}',
        f'{{"type":"new-tab","tab_id":"{TAB}","after":"3"}}',
        f'{{"type":"new-tab","tab_id":"{TAB}","mode":"yolo"}}',
        f'{{"type":"prompt","tab_id":"{TAB}","message_id":"{TAB}","text":"\\ud800"}}',
        f'{{"type":"prompt","tab_id":"{TAB}","message_id":"{TAB}","text":["no"]}}',
        f'{{"type":"restore","tabs":[{{"tab_id":"{TAB}"}}]}}',
        f'{{"type":"answer","tab_id":"{TAB}","ask_id":"a","word":"perhaps"}}',
        '{"message":"x","project_id":"p","admin":true}',
        '{"type":"ping","ref":{}}',
        "[" * 100_000,
        '{"type":"ping","ref":' + "[" * 100_000,
        '{"message":"' + "x" * 900_000 + '"}',
    ],
)
def test_what_is_no_frame_is_a_problem_in_words(text: str) -> None:
    problem = heard(text).frame
    assert isinstance(problem, Problem)
    assert problem.code == "bad_frame"
    assert problem.hint
    assert len(problem.message) < 300


def test_a_bad_frame_still_says_what_it_would_have_answered() -> None:
    got = heard('{"type":"prompt","tab_id":"t","ref":"r","text":3}')
    assert (got.ref, got.tab_id) == ("r", "t")
    assert isinstance(got.frame, Problem)
    assert "prompt" in got.frame.message


@pytest.mark.parametrize(
    "kind", [each for each in frames.Typed.__args__], ids=lambda kind: kind.__name__
)
def test_every_frame_takes_a_ref_and_forbids_what_it_does_not_know(kind: Any) -> None:
    info = msgspec.inspect.type_info(kind)
    assert isinstance(info, msgspec.inspect.StructType)
    assert info.forbid_unknown_fields
    assert "ref" in [field.name for field in info.fields]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"type":"dance"}', "There is no frame of the type 'dance'."),
        ('{"type":"new-tab","tab_id":"abc"}', "Expected a UUID - at `$.tab_id`"),
        ('{"message":"hello","project_id":"\\u0000"}', "Expected one line without control"),
    ],
)
def test_what_does_not_fit_is_told_in_words_and_not_in_patterns(text: str, said: str) -> None:
    problem = heard(text).frame
    assert isinstance(problem, Problem)
    assert said in problem.message
    assert problem.hint
    if "dance" in text:
        assert all(name in problem.hint for name in ("new-tab", "prompt", "shell-detach"))
