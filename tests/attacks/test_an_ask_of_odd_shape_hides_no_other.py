"""Severity: medium. A remote Bottega asks something, or an imported log did, with a detail of an unexpected type.

It is shown without that, and all that waits for the person besides is listed as before.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bottega import Studio
from bottega.cli.asking import more, shown
from bottega.events.codec import carried
from bottega.events.detail import KNOWN
from bottega.events.event import Carried
from bottega.server.shapes.talk.ask import AskList
from bottega.sessions import asked, asks, log
from bottega.sessions.bounds.waiting import MOST_ASKS
from bottega.sessions.exports.export import FORMATS, export
from bottega.sessions.session import HOST

WRONG: tuple[Any, ...] = (
    *("text", 7, -1, 1.5, 10**400, None, True, [], {}, [7], ["text"], [["text"]]),
    *({"session_id": 7}, {"agent": {}}, {"call": []}, [{"name": {}}], [{"began": 1}]),
)


def _fact(name: str, at: int, value: Any) -> Carried:
    """As it comes from elsewhere."""
    data = {
        "approval_id": f"ask_{name}_{at}",
        "kind": "tool",
        "tool_name": "x",
        "detail": {name: value},
    }
    data["detail"]["other"] = value  # whoever does not know it shows it
    body = {"type": "approval_required", "at": 1, "data": data, "message_id": "m"}
    return carried(at + 1, json.dumps(body).encode())


async def test_it_is_listed_shown_and_exported_as_any_other(home: Path, folder: Path) -> None:
    facts = [_fact(name, at, value) for name in sorted(KNOWN) for at, value in enumerate(WRONG)]
    async with Studio(home) as studio:
        database = studio.runtime.database
        session = await studio.start(model="guide", folder=folder)
        n = session.row.n
        await database.write(lambda connection: log.insert(connection, n, list(facts)))
        for some in batched(facts, MOST_ASKS):

            def ask(connection: sqlite3.Connection, some: Iterable[Carried] = some) -> None:
                connection.execute("DELETE FROM asks")  # a person has so many and no more
                for fact in some:
                    asks.insert(connection, n, "m", fact.data, {}, far=True)

            await database.write(ask)
            waiting = await asked.page(database, HOST, limit=len(some))
            assert len(AskList.of(waiting).asks) == len(some)
            for each in waiting.asks:
                assert shown.shown(each.ask, 80)
                assert shown.summary(each.ask)
                assert more.raised_to(each.ask)
        stored = studio.find(session.id).row
        for form in FORMATS:
            pieces = export(database, studio.runtime.blobs, stored, form)
            assert b"".join(pieces) or form == "chat", "which has only what was said"


def batched(facts: list[Carried], many: int) -> Iterator[list[Carried]]:
    for begin in range(0, len(facts), many):
        yield facts[begin : begin + many]
