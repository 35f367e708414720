"""What goes out comes in again, byte for byte; what is wrong is named, and nothing of it is stored."""

import base64
import hashlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from bottega.errors import BadUsage, StorageFailed
from bottega.events import facts as f
from bottega.messages.block import Text
from bottega.sessions.attach import Attachments
from bottega.sessions.care.check import check
from bottega.sessions.care.retention import trim
from bottega.sessions.exports.bring_in import Limits, bring_in, lines_of
from bottega.sessions.exports.export import export
from bottega.sessions.session import SessionRow, Sessions
from bottega.sessions.told.history import replay
from bottega.sessions.told.views import chat
from bottega.storage.blobs import Blobs
from bottega.storage.database import Database
from tests.events.logs import Generator, answer, call, end, log, prompt, ran
from tests.golden.test_golden import LOGS, read
from tests.hunt import examples
from tests.sessions import stored
from tests.storage.gate import fill_the_disk, free_the_disk

WORK = [
    *prompt("go"),
    f.MessageStart("m"),
    f.TextDelta("let"),
    answer(Text("let me"), call("c1")),
    *ran("c1"),
    f.MessageStart("m"),
    answer(Text("done")),
    end("done"),
]
PICTURE = b"\x89PNG" * 20_000


async def out(database: Database, session: SessionRow) -> list[bytes]:
    row = Sessions(database).get(session.id)
    return list(export(database, Blobs(database.home.blobs), row))


async def there_and_back(database: Database, session: SessionRow) -> SessionRow:
    lines = await out(database, session)
    return await bring_in(database, Blobs(database.home.blobs), lines, folder="/new")


async def test_what_goes_out_comes_in_the_same(
    database: Database, session: SessionRow, blobs: Blobs
) -> None:
    await Sessions(database).rename(session.id, "A title")
    picture = await Attachments(database, blobs).keep(session.n, PICTURE)
    session = await stored.write(database, session, log(*WORK))
    new = await there_and_back(database, session)
    assert new.id != session.id
    assert (new.title, new.model, new.agent, new.created_at) == (
        *("A title", session.model, session.agent, session.created_at),
    )
    assert (new.folder, new.status, new.last_index) == ("/new", "idle", session.last_index)
    assert stored.rows(database, new) == stored.rows(database, session)
    assert Attachments(database, blobs).read(new.n, picture) == PICTURE
    first, second = await out(database, session), await out(database, new)
    assert first[1:] == second[1:]
    assert check(database.home) == []


async def test_kinds_are_found_out_anew(database: Database, session: SessionRow) -> None:
    await stored.write(database, session, log(*WORK))
    new = await there_and_back(database, session)
    assert (await trim(database, session=new)).rows == 1


async def test_a_trimmed_session_keeps_its_indexes(database: Database, session: SessionRow) -> None:
    await stored.write(database, session, log(*WORK))
    await trim(database)
    new = await there_and_back(database, session)
    indexes = [index for index, _ in stored.rows(database, new)]
    assert indexes == [1, 2, 3, 5, 6, 7, 8, 9, 10]
    assert check(database.home) == []


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
async def test_every_golden_log_makes_the_round_trip(
    database: Database, session: SessionRow, path: Path
) -> None:
    await stored.write(database, session, read(path))
    new = await there_and_back(database, session)
    before, after = stored.rows(database, session), stored.rows(database, new)
    assert after[: len(before)] == before


@pytest.mark.fuzz
async def test_every_cut_of_a_log_is_closed_when_it_comes_in(database: Database) -> None:
    """Wherever the log broke off: one end for each exchange, one result for each call, and all that was shown."""
    for seed in range(examples(15, 300)):
        facts = Generator(seed).plausible()
        cut = facts[: 1 + seed * 7 % len(facts)]
        session = await Sessions(database).create(model="m", agent="a", folder="/")
        await stored.write(database, session, cut)
        new = await there_and_back(database, session)
        closed = stored.events(database, new)
        begun = [e.message_id for e in closed if e.type == "user_message" and not e.data.steer]
        ended = [e.message_id for e in closed if e.type == "exchange_response"]
        assert ended == begun, seed
        assert chat(closed) == [
            msgspec.structs.replace(m, timestamp=n.timestamp)
            for m, n in zip(chat(cut), chat(closed), strict=True)
        ], seed
        again = await there_and_back(database, new)
        assert stored.rows(database, again) == stored.rows(database, new), seed
    assert check(database.home) == []


async def test_an_unfinished_exchange_is_closed_as_interrupted(
    database: Database, session: SessionRow
) -> None:
    open_ = [
        *prompt("go"),
        f.MessageStart("m"),
        answer(Text("first"), call("c1"), call("c2"), call("c3")),
        *ran("c1"),
        f.ToolIntent("c2", "read_file", "hash"),
    ]
    waits = log(f.PromptQueued((Text("later"),)), message_id="m2")
    await stored.write(database, session, [*log(*open_), *waits])
    new = await there_and_back(database, session)
    added = stored.events(database, new)[8:]
    assert [event.type for event in added] == [
        *("interrupted", "tool_result", "tool_result", "exchange_response", "prompt_cancelled"),
    ]
    unknown, not_run = added[1].data, added[2].data
    assert (unknown.tool_id, unknown.is_error) == ("c2", True)
    assert "unknown" in unknown.content[0].text
    assert (not_run.tool_id, not_run.is_error) == ("c3", True)
    assert "before" in not_run.content[0].text
    response = added[3].data
    assert (response.success, response.stop_reason, response.final_response) == (
        *(False, "interrupted", "first"),
    )
    assert (response.usage.input_tokens, response.cost, response.iterations) == (10, 7, 1)
    assert added[3].message_id == "m1"
    assert added[4].message_id == "m2"


async def test_an_answer_that_broke_off_stays_in_the_history(
    database: Database, session: SessionRow
) -> None:
    await stored.write(
        database, session, log(*prompt("go"), f.MessageStart("m"), f.TextDelta("half an ans"))
    )
    new = await there_and_back(database, session)
    history = replay(stored.rows(database, new))
    assert [message.content for message in history] == [(Text("go"),), (Text("half an ans"),)]


async def test_a_mode_that_allows_things_is_not_carried(
    database: Database, session: SessionRow
) -> None:
    await stored.write(database, session, log(f.ModeChanged("allow")))
    new = await there_and_back(database, session)
    assert stored.events(database, new)[-1].data == f.ModeChanged("ask")


async def test_leases_and_the_inbox_are_not_carried(
    database: Database, session: SessionRow
) -> None:
    await stored.write(database, session, log(*WORK))
    await database.write(
        lambda connection: connection.execute(
            "UPDATE sessions SET holder = 'wrk', generation = 7, owner_seq = 9, takeovers = 2"
        ).close()
    )
    new = await there_and_back(database, session)
    row = database.read_now(
        lambda connection: connection.execute(
            "SELECT holder, generation, owner_seq, takeovers, status FROM sessions WHERE n = ?",
            (new.n,),
        ).fetchone()
    )
    assert row == (None, 0, 0, 0, "idle")
    assert stored.count(database, "inbox") == 0


def blob_line(content: bytes, name: str = "") -> bytes:
    name = name or hashlib.sha256(content).hexdigest()
    return msgspec.json.encode({"blob": name, "data": base64.b64encode(content).decode()}) + b"\n"


SPOILS: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "nothing": (lambda lines: [], "after line 0"),
    "no header": (lambda lines: lines[1:], "Line 1"),
    "other header": (lambda lines: [b'{"bottega":2,"session":{}}\n', *lines[1:]], "Line 1"),
    "not json": (lambda lines: [*lines[:3], b"[3,{nonsense\n", *lines[4:]], "Line 4"),
    "not utf-8": (lambda lines: [*lines[:3], b'[3,"\xff\xfe"]\n', *lines[4:]], "Line 4"),
    "no envelope": (lambda lines: [*lines[:3], b'[3,{"at":1}]\n', *lines[4:]], "Line 4"),
    "bad payload": (
        lambda lines: [*lines[:3], b'[3,{"type":"text_delta","at":1,"data":{"text":5}}]\n'],
        "Line 4",
    ),
    "index twice": (lambda lines: [*lines[:3], lines[2], *lines[3:]], "Line 4"),
    "backwards": (lambda lines: [lines[0], lines[2], lines[1]], "Line 3"),
    "index 0": (lambda lines: [lines[0], b"[0," + lines[1][3:]], "Line 2"),
    "huge index": (lambda lines: [lines[0], b"[%d," % 2**60 + lines[1][3:]], "Line 2"),
    "cut off": (lambda lines: lines[:-2], "breaks off after line 9"),
    "half a line": (lambda lines: [*lines[:-2], lines[-2][:20]], "Line 10"),
    "wrong hash": (lambda lines: [*lines, blob_line(b"x", "0" * 64)], "Line 12"),
    "no base64": (
        lambda lines: [*lines, b'{"blob":"%b","data":"??"}\n' % (b"0" * 64)],
        "Line 12",
    ),
    "deep": (
        lambda lines: [
            *lines[:3],
            b'[3,{"type":"x","at":1,"data":' + b"[" * 100_000 + b"]" * 100_000 + b"}]\n",
        ],
        "Line 4",
    ),
    "unknown object": (lambda lines: [*lines, b'{"other":1}\n'], "Line 12"),
}


@pytest.mark.parametrize("spoil", SPOILS)
async def test_a_wrong_line_is_named_and_nothing_is_stored(
    database: Database, session: SessionRow, blobs: Blobs, spoil: str
) -> None:
    await stored.write(database, session, log(*WORK))
    change, said = SPOILS[spoil]
    lines = change(await out(database, session))
    sessions, events = stored.count(database, "sessions"), stored.count(database, "events")
    with pytest.raises(BadUsage, match=said) as refused:
        await bring_in(database, blobs, lines, folder="/new")
    assert "nothing" in refused.value.hint
    assert stored.count(database, "sessions") == sessions
    assert stored.count(database, "events") == events
    assert blobs.names() == set()


async def test_blobs_of_a_refused_import_are_removed_again(
    database: Database, session: SessionRow, blobs: Blobs
) -> None:
    await Attachments(database, blobs).keep(session.n, b"known")
    await stored.write(database, session, log(*WORK))
    lines = await out(database, session)
    bad = [*lines, blob_line(b"new"), b'{"blob":1}\n']
    with pytest.raises(BadUsage):
        await bring_in(database, blobs, bad, folder="/new")
    assert blobs.names() == {hashlib.sha256(b"known").hexdigest()}


async def test_a_full_disk_stores_nothing(
    database: Database, session: SessionRow, blobs: Blobs
) -> None:
    await stored.write(database, session, log(*WORK))
    lines = [*await out(database, session), blob_line(b"new")]
    with pytest.raises(StorageFailed):
        await database.write(fill_the_disk)
    many = log(*[f.TextDelta("x" * 1000)] * 1000)
    big = [
        lines[0].replace(b'"last_index":10', b'"last_index":1000'),
        *(
            b'[%d,{"type":"text_delta","at":1,"data":{"text":"%b"}}]\n' % (e.index, b"x" * 1000)
            for e in many
        ),
    ]
    with pytest.raises(StorageFailed, match="full"):
        await bring_in(database, blobs, big, folder="/new")
    await database.write(free_the_disk)
    assert stored.count(database, "sessions") == 1
    assert blobs.names() == set()


async def test_a_blob_is_the_sessions_only_if_the_file_holds_its_bytes(
    database: Database, session: SessionRow, blobs: Blobs
) -> None:
    secret = await Attachments(database, blobs).keep(session.n, b"secret")
    thief = await Sessions(database).create(model="m", agent="a", folder="/")
    await stored.write(database, thief, log(f.UserMessage((Text(secret),))))
    lost = msgspec.json.encode({"blob": secret, "data": None}) + b"\n"
    lines = [*await out(database, thief), lost]
    new = await bring_in(database, blobs, lines, folder="/new")
    assert Attachments(database, blobs).names(new.n) == []


async def test_a_lost_blob_does_not_stop_an_export(
    database: Database, session: SessionRow, blobs: Blobs
) -> None:
    blobs.drop(await Attachments(database, blobs).keep(session.n, b"mine"))
    await stored.write(database, session, log(*WORK))
    new = await there_and_back(database, session)
    assert new.last_index == 10


async def test_events_of_a_newer_program_are_carried_along(
    database: Database, session: SessionRow, blobs: Blobs
) -> None:
    await stored.write(database, session, log(*prompt("go"), end("done")))
    lines = await out(database, session)
    body = b'{"type":"brand_new","at":1,"data":{"x":[1,2.50,"\\u00e9"]},"v":9}'
    header = lines[0].replace(b'"last_index":3', b'"last_index":4')
    new = await bring_in(database, blobs, [header, *lines[1:], b"[4,%b]\n" % body], folder="/new")
    assert stored.rows(database, new)[-1] == (4, body)


async def test_empty_lines_at_the_end_do_no_harm(
    database: Database, session: SessionRow, blobs: Blobs
) -> None:
    await stored.write(database, session, log(*WORK))
    lines = [*await out(database, session), b"\n", b"  \n"]
    assert (await bring_in(database, blobs, lines, folder="/new")).last_index == 10


async def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(
    database: Database, session: SessionRow, blobs: Blobs, tmp_path: Path
) -> None:
    lines = await out(database, session)
    limits = Limits(line=100_000)
    path = tmp_path / "export.jsonl"
    with path.open("wb") as file:
        file.write(lines[0])
        file.truncate(1_000_000)
    with path.open("rb") as file:
        assert max(map(len, lines_of(file, limits))) == 100_001
    with path.open("rb") as file, pytest.raises(BadUsage, match=r"Line 2 .* longer"):
        await bring_in(database, blobs, lines_of(file, limits), folder="/new", limits=limits)


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (Limits(events=100), r"Line \d .* events are larger"),
        (Limits(blobs=10), "Line 12 .* blobs are larger"),
    ],
)
async def test_a_file_that_is_too_large_is_refused(
    database: Database, session: SessionRow, blobs: Blobs, limits: Limits, said: str
) -> None:
    await stored.write(database, session, log(*WORK))
    lines = [*await out(database, session), blob_line(b"more than ten bytes")]
    with pytest.raises(BadUsage, match=said):
        await bring_in(database, blobs, lines, folder="/new", limits=limits)
    assert stored.count(database, "sessions") == 1
    assert blobs.names() == set()
