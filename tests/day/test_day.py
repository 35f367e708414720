"""A day's work in one session: hundreds of model calls, four protocols, compactions, kills; the history stays valid."""

import asyncio
from collections import Counter
from pathlib import Path
from random import Random

import msgspec
import pytest

from bottega.events import facts
from bottega.events.event import Event
from bottega.messages.block import plain_text
from bottega.messages.message import Message, Usage
from bottega.providers import catalog
from tests.chaos.after_death import calls_are_answered_once, stored
from tests.day.hours import FIRST, day, marked, name
from tests.day.life import Given, begin, studio
from tests.day.vendor import Served, Vendor, open_for_business
from tests.hunt import LONG, SEED

LENGTH = 420
"""Model calls of the day, about: one hour is cut short."""
MORNING = (
    *(("tool.after_effect", 70), ("tool.after_intent", 50), ("compacting.before_fact", 3)),
    *(("compacting.after_fact", 2), ("storage.before_commit", 300), ("storage.after_commit", 200)),
    *(("log.after_insert", 400), ("pen.after_write", 250), ("inbox.after_admit", 2)),
)
"""Where the first process is killed, and at which passage: each day at another."""
DAYS = len(MORNING) * 2 if LONG else 1

Log = list[Event]


async def lived(given: Given, vendor: Vendor, number: int) -> None:
    """The whole day, in three processes: one dies at a point in the code, one in the middle of an answer."""
    point, passage = MORNING[number % len(MORNING)]
    first = begin(msgspec.structs.replace(given, failpoints=f"{point}=kill@{passage}"))
    await asyncio.to_thread(first.join, 300)
    assert first.exitcode == -9, "it did not die in the morning"
    second = begin(given)
    vendor.kill = second.kill
    early, late = len(vendor.asked) + LENGTH // 3, len(vendor.asked) + LENGTH // 2
    vendor.kill_at = Random(f"{vendor.seed}:noon").randrange(early, late)
    await asyncio.to_thread(second.join, 300)
    assert second.exitcode == -9, "it did not die at noon"
    vendor.kill_at = 0
    third = begin(given)
    await asyncio.to_thread(third.join, 300)
    assert third.exitcode == 0


@pytest.mark.chaos
@pytest.mark.requirement("T17", "C21", "A27")
@pytest.mark.parametrize("number", range(DAYS))
async def test_a_days_work_makes_no_invalid_request_and_forgets_no_first_words(
    tmp_path: Path, number: int
) -> None:
    (tmp_path / "project").mkdir()
    async with open_for_business(f"{SEED}:{number}") as (vendor, url):
        given = Given(str(tmp_path / "home"), str(tmp_path / "project"), url, LENGTH)
        async with asyncio.timeout(600):
            await lived(given, vendor, number)
        assert vendor.wrong == []
        log, children = logs_of(tmp_path / "home")
        happened(log, vendor)
        is_whole(log)
        the_books_agree([log, *children], vendor)
        is_done_once(given, [log, *children])
        await is_seen_alike_by_another_process(given, vendor)
        assert vendor.wrong == []


def logs_of(home: Path) -> tuple[Log, list[Log]]:
    """The session's log, and those of the tasks that it handed on."""
    first, *rest = (log for _, log in sorted(stored(home).items()))
    return first, rest


def happened(log: Log, vendor: Vendor) -> None:
    """A day on which nothing happens would show nothing."""
    count = Counter(event.type for event in log)
    assert len(vendor.asked) >= 400
    assert count["interrupted"] == 2
    made = [event.data for event in log if event.type == "compaction"]
    assert {"full", "asked", "overflow"} <= {each.reason for each in made}
    assert sum(bool(each.upto) for each in made) >= 3
    wires = [each.asked.wire for each in vendor.served]
    turns = [wire for n, wire in enumerate(wires) if not n or wires[n - 1] != wire]
    assert turns[:3] == ["anthropic", "openai-chat", "anthropic"]
    assert set(turns) == {"anthropic", "openai-chat", "openai-responses", "gemini"}
    assert turns[-2:] == ["anthropic", "openai-responses"]
    said = [event.data for event in log if event.type == "user_message"]
    assert [plain_text(each.content) for each in said if each.steer] == [
        hour.steer[1] for hour in day(LENGTH) if hour.steer[0]
    ]
    ends = [event.data for event in log if event.type == "exchange_response"]
    assert [end.completion_reason for end in ends].count("user_stopped") == 1
    assert [event.data.mode for event in log if event.type == "mode_changed"][-1] == "allow"
    results = [event.data for event in log if event.type == "tool_result"]
    assert any("blocked in plan mode" in str(each.content) for each in results)
    assert sum(each.is_error for each in results) > LENGTH / 20
    answers = [event.data for event in log if event.type == "assistant_message"]
    assert any(len(each.content) > 3 for each in answers), "calls side by side"
    assert count["file_ready"] == 1
    assert count["child_started"] == 1
    assert count["conversation_retrying"] == 1


def is_whole(log: Log) -> None:
    """Each prompt has its one end, each call its one result."""
    steers = {e.data.prompt_id for e in log if e.type == "user_message" and e.data.steer}
    prompts = [event.message_id for event in log if event.type == "prompt_queued"]
    ends = Counter(event.message_id for event in log if event.type == "exchange_response")
    assert ends == Counter(prompt for prompt in prompts if prompt not in steers)
    hours = day(LENGTH)
    assert [event.message_id for event in log if event.type == "exchange_response"] == [
        name(number) for number in range(1, len(hours) + 1)
    ]
    bad = [e.data for e in log if e.type == "exchange_response" and not e.data.success]
    assert [end.completion_reason for end in bad] == ["user_stopped"]
    calls_are_answered_once(log)


def the_books_agree(logs: list[Log], vendor: Vendor) -> None:
    """What the server counted is what the log says was used, but for what nobody was left to write down."""
    served = {each.usage: each for each in vendor.served}
    booked = [
        event.data
        for log in logs
        for event in log
        if event.type in ("assistant_message", "compaction") and event.data.usage != Usage()
    ]
    assert len(served) == len(vendor.served), "two answers that nobody can tell apart"
    assert Counter(each.usage for each in booked).most_common(1)[0][1] == 1, "counted twice"
    assert {each.usage for each in booked} <= served.keys()
    # A kill, or a cancel, may come when an answer has gone out and was not written down yet.
    assert len(served) - len(booked) <= 3
    assert all(each.cost == _price(served[each.usage]) for each in booked)
    for log in logs:
        for end in (event for event in log if event.type == "exchange_response"):
            mine = [event.data for event in log if event.message_id == end.message_id]
            spent = [each for each in mine if isinstance(each, _SPENDING)]
            assert end.data.usage == sum((each.usage for each in spent), Usage())
            assert end.data.cost == sum(each.cost or 0 for each in spent)
            assert end.data.iterations == sum(isinstance(e, facts.AssistantMessage) for e in mine)


_SPENDING = (facts.AssistantMessage, facts.Compaction, facts.ToolResultFact)


def _price(served: Served) -> int | None:
    provider = {"anthropic": "anthropic", "gemini": "gemini"}.get(served.asked.wire, "openai")
    return catalog.cost(provider, served.asked.model, served.usage)


def is_done_once(given: Given, logs: list[Log]) -> None:
    """No effect came twice; each that was told as made was made, and no other but where the outcome is unknown."""
    made = Counter(given.traces.read_text().splitlines())
    assert set(made.values()) == {1}
    told = [event.data for log in logs for event in log if event.type == "tool_result"]
    traces = [result for result in told if result.name == "leave_trace"]
    right = sum(not result.is_error for result in traces)
    unknown = sum("outcome unknown" in str(result.content) for result in traces)
    assert right <= len(made) <= right + unknown


async def is_seen_alike_by_another_process(given: Given, vendor: Vendor) -> None:
    """Another process sends what was sent before, to the byte, and what came since."""
    before: list[Message] = await history(given)
    for words in ("Good night.", "And tomorrow?"):
        process = begin(msgspec.structs.replace(given, words=words))
        await asyncio.to_thread(process.join, 60)
        assert process.exitcode == 0
    then, now = vendor.asked[-2:]
    told, again = _told(then.body["messages"]), _told(now.body["messages"])
    assert again[: len(told)] == told
    assert then.body["system"] == now.body["system"]
    after = await history(given)
    assert after[: len(before)] == before
    said = [plain_text(message.content) for message in after if message.role == "user"]
    hours = [marked(number, hour) for number, hour in enumerate(day(LENGTH), 1)]
    for words in (FIRST, *hours, "Good night.", "And tomorrow?"):
        assert any(words in each for each in said)


def _told(messages: list[dict[str, object]]) -> str:
    """As text, without the marks of what is to be kept in a cache: they move on with every request."""
    return str(messages).replace(", 'cache_control': {'type': 'ephemeral'}", "").removesuffix("]")


async def history(given: Given) -> list[Message]:
    async with studio(given) as open_:
        (row, *_) = [row for row in await open_.sessions() if not row.parent]
        return await open_.find(row.id).history()
