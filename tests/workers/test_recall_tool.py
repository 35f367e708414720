"""`recall`: whatever was said or given in a session can be found again, wherever it went."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega.errors import BadUsage, NotFound
from bottega.events.codec import encode
from bottega.events.facts import ToolResultFact
from bottega.messages.block import Text
from bottega.sessions.told import entries
from bottega.studio import Session, Studio
from bottega.tools.builtin.planning.recall import PAGE, RECALL
from bottega.tools.context import Remembered
from tests.events.logs import log
from tests.tools.contexts import Workbench, outcome_of, said

Scripted = Callable[..., str]
SAY = [{"do": "say", "text": "So be it."}]


def recall(**given: Any) -> list[dict[str, Any]]:
    return [{"do": "call", "name": "recall", "input": given}]


async def results(session: Session) -> list[dict[str, Any]]:
    return [
        msgspec.json.decode(event.data.content[0].text)
        for event in await session.facts()
        if event.type == "tool_result" and event.data.name == "recall"
    ]


async def test_what_was_compacted_is_found_and_read_whole(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    long = "\n".join(f"line {number} of the ledger" for number in range(4000))
    (folder / "ledger.txt").write_text(long + "\nthe osprey nests here\n")
    read = [{"do": "call", "name": "bash_exec", "input": {"command": "cat ledger.txt"}}]
    talk = [{"do": "say", "text": "Words upon words. " * 200}]
    record = {
        "when": "<record>",
        "turns": [[{"do": "say", "text": "They read the ledger of birds."}]],
    }
    find = {"when": "where", "turns": [recall(query="OSPREY nests"), SAY]}
    model = scripted(read, *[talk] * 4, rules=[record, find])
    async with Studio(home, flags={"mode": "allow", "sandbox": "off"}) as studio:
        session = await studio.start(model=model, folder=folder)
        await session.prompt("read the ledger, my dear magpie")
        await session.prompt("more")
        await session.prompt("more")
        assert await session.compact()
        assert "osprey" not in str(await session.history())
        await session.prompt("where does it nest?")
        (found,) = await results(session)
    (hit,) = [each for each in found["result"]["entries"] if each["who"] == "bash_exec"]
    assert "the osprey nests here" in hit["text"]
    assert hit["when"].endswith("UTC")
    model = scripted(
        rules=[{"when": "whole", "turns": [recall(index=hit["index"], start=PAGE), SAY]}],
        name="second",
    )
    async with Studio(home) as studio:
        session = await studio.resume(session.id)
        await session.prompt("the whole of it", model=model)
        whole = (await results(session))[-1]["result"]
    assert "the osprey nests here" in whole["text"], "it is on the second page"


def test_a_result_that_is_kept_elsewhere_is_searched_and_read_whole() -> None:
    kept = "first part " * 2000 + "the osprey nests here"
    facts = log(ToolResultFact("c1", "grep", (Text("first part …"),), blob="b" * 64))
    rows = [(fact.index, encode(fact)) for fact in facts]
    ((entry, around),) = entries.find(rows, "osprey", 9, lambda name: kept)
    assert (entry.index, entry.who) == (1, "grep")
    assert "the osprey nests here" in around
    whole = entries.read(rows, 1, lambda name: kept)
    assert whole is not None
    assert whole.text == kept


async def test_the_newest_words_are_found_and_recalls_themselves_are_not(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted(recall(query="magpie"), recall(query="magpie"), SAY)
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        await session.prompt("a Magpie sits there")
        first, second = await results(session)
    assert [each["who"] for each in first["result"]["entries"]] == ["user"]
    assert first["result"]["entries"] == second["result"]["entries"]


@pytest.mark.parametrize("given", [{}, {"query": "a", "index": 1}, {"query": "   "}])
async def test_it_takes_a_query_or_an_index(tmp_path: Path, given: dict[str, Any]) -> None:
    bench = Workbench(tmp_path)
    with pytest.raises(BadUsage, match="a query, or the index"):
        await outcome_of(RECALL, given, bench)


async def test_an_index_without_words_and_a_start_past_the_end_are_told(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    bench.remembered = [Remembered(3, "user", "now", "short")]
    assert said(await outcome_of(RECALL, {"index": 3}, bench))["result"]["text"] == "short"
    for given in ({"index": 9}, {"index": 3, "start": 99}):
        with pytest.raises(NotFound):
            await outcome_of(RECALL, given, bench)
    none = said(await outcome_of(RECALL, {"query": "absent"}, bench))["result"]
    assert none["entries"] == []
    assert "Try fewer" in none["note"]
