"""Logs that were written once are read for ever, and their replay stays the same."""

from pathlib import Path

import msgspec
import pytest

from bottega.events import codec
from bottega.events.event import Event
from bottega.events.facts import FACTS
from bottega.events.fold import replay
from bottega.events.layers import DERIVED
from tests.golden.make import FOLDER, STORIES, written

LOGS = sorted(Path(__file__).parent.glob("v*/*.jsonl"))
every_log = pytest.mark.parametrize(
    "path", LOGS, ids=lambda path: f"{path.parent.name}/{path.stem}"
)


def bodies(path: Path) -> list[tuple[int, bytes]]:
    lines = path.read_bytes().splitlines()
    rows = [msgspec.json.decode(line, type=tuple[int, msgspec.Raw]) for line in lines]
    return [(index, bytes(body)) for index, body in rows]


def read(path: Path) -> list[Event]:
    return [codec.decode(index, body) for index, body in bodies(path)]


@every_log
def test_a_golden_log_gives_the_same_events_as_on_its_first_day(path: Path) -> None:
    told = [[event.index, event.sub, event.type] for event in replay(read(path))]
    expected = msgspec.json.decode(path.with_suffix(".expected.json").read_bytes())
    assert told == expected


@every_log
def test_a_golden_log_has_indexes_without_gaps_and_known_types_only(path: Path) -> None:
    log = read(path)
    assert [event.index for event in log] == list(range(1, len(log) + 1))
    assert all(type(event.data) is FACTS[event.type] for event in log)


@every_log
@pytest.mark.requirement("X15", "X21")
def test_each_exchange_of_a_golden_log_ends_once_after_all_else(path: Path) -> None:
    told = list(replay(read(path)))
    requests = [event.message_id for event in told if event.type == "exchange_request"]
    ends = [event.message_id for event in told if event.type == "exchange_response"]
    assert ends == requests
    assert told[-1].type == "exchange_response"


@pytest.mark.parametrize("name", STORIES)
def test_this_program_still_writes_the_bytes_of_its_version(name: str) -> None:
    assert (FOLDER / f"{name}.jsonl").read_bytes() == written(STORIES[name])


def test_the_golden_logs_of_this_version_show_every_type_there_is() -> None:
    shown = {event.type for path in FOLDER.glob("*.jsonl") for event in replay(read(path))}
    assert shown == set(FACTS) | set(DERIVED)
