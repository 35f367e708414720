"""Search: everything that was said can be found, whatever the words are made of."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.events.event import Event
from bottega.events.facts import ReasoningDelta, TextDelta
from bottega.messages.block import Reasoning, Text, ToolUse
from bottega.sessions.care import search as searching
from bottega.sessions.care.search import Hit, Search, quoted
from bottega.sessions.session import SessionRow, Sessions
from bottega.sessions.tables import MIGRATIONS
from bottega.storage.database import Database
from bottega.storage.home import Home
from tests.events.logs import answer, call, end, log, prompt, ran
from tests.hunt import examples
from tests.sessions import stored


def found(hits: list[Hit]) -> list[int]:
    return [hit.index for hit in hits]


async def test_prompts_answers_calls_and_results_are_found(
    database: Database, session: SessionRow
) -> None:
    await Sessions(database).rename(session.id, "The title")
    facts = log(
        *prompt("where is the giraffe"),
        answer(Reasoning("zebra"), Text("A Giraffe! I look in the savanna."), call("c1")),
        *ran("c1", "an elephant and two giraffes"),
        answer(Text("It was an elephant.")),
        end("It was an elephant."),
    )
    await stored.write(database, session, facts)
    search = Search(database)
    assert found(await search.search("giraffe")) == [5, 3, 2], "newest first"
    assert found(await search.search("GIRAFFE look")) == [3]
    assert found(await search.search("eleph")) == [6, 5]
    assert found(await search.search("c1")) == [3]
    assert await search.search("zebra") == [], "thoughts are nobody's words"
    assert await search.search("giraffe unicorn") == []
    (hit,) = await search.search("savanna")
    assert (hit.session_id, hit.title, hit.at) == (session.id, "The title", 1003)
    assert hit.snippet == "A Giraffe! I look in the «savanna». c1"


async def test_a_search_sees_what_was_written_just_before_it(
    database: Database, session: SessionRow
) -> None:
    search = Search(database)
    for number in range(3):
        await stored.write(database, session, log(*prompt(f"needle {number}")))
        assert len(await search.search("needle")) == number + 1


async def test_texts_deep_inside_a_call_are_found(database: Database, session: SessionRow) -> None:
    use = ToolUse("c1", "edit", {"edits": [{"old": "needle", "times": 3}], "all": True})
    await stored.write(database, session, log(answer(use)))
    assert found(await Search(database).search("needle")) == [1]


async def test_deltas_are_not_searched(database: Database, session: SessionRow) -> None:
    deltas = [
        Event("text_delta", 1, TextDelta("needle")),
        Event("reasoning_delta", 1, ReasoningDelta("needle")),
    ]
    await stored.write(database, session, deltas)
    assert await Search(database).search("needle") == []


async def test_long_logs_are_added_in_small_steps(database: Database, session: SessionRow) -> None:
    many = log(*(payload for n in range(800) for payload in prompt(f"needle {n}")))
    await stored.write(database, session, many)
    before = database.writer.commits
    assert await Search(database).update() == 800
    assert database.writer.commits - before >= 1600 // searching.BATCH
    assert await Search(database).update() == 0
    assert len(await Search(database).search("needle", limit=2000)) == 800


async def test_large_texts_end_a_step_early(database: Database, session: SessionRow) -> None:
    large = log(*(answer(Text("needle " * 20_000)) for _ in range(20)))
    await stored.write(database, session, large)
    before = database.writer.commits
    await Search(database).update()
    assert database.writer.commits - before >= 4
    assert len(await Search(database).search("needle")) == 20


async def test_two_who_add_at_once_add_each_event_once(
    database: Database, session: SessionRow
) -> None:
    many = log(*(payload for n in range(700) for payload in prompt(f"needle {n}")))
    await stored.write(database, session, many)
    added = await asyncio.gather(*(Search(database).update() for _ in range(4)))
    assert sum(added) == 700
    assert stored.count(database, "words") == 700


async def test_the_newest_hits_of_all_sessions_come_first(
    database: Database, session: SessionRow
) -> None:
    other = await Sessions(database).create(model="m", agent="a", folder="/", title="Other")
    await stored.write(database, session, log(*prompt("needle")))
    await stored.write(database, other, log(*prompt("needle")))
    hits = await Search(database).search("needle", limit=1)
    assert [hit.session_id for hit in hits] == [other.id]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Ein schöner Über-Fall", "uber schoner"),
        ("naïve café", "NAIVE CAFE"),
        ("今天我们修理数据库的错误", "数据库"),
        ("エラーを修正しました", "修正"),
        ("foo.bar_baz(qux=1)", "bar_baz"),
        ("path/to/some-file.py", "some-file.py"),
        ('he said "hello world"', '"hello world"'),
        ("emoji 🎉 party", "party 🎉"),
        ("50% off", "50%"),
    ],
)
async def test_words_of_any_kind_are_found(
    database: Database, session: SessionRow, text: str, query: str
) -> None:
    await stored.write(database, session, log(*prompt(text)))
    hits = await Search(database).search(query, marks=("", ""))
    assert [hit.snippet for hit in hits] == [text]


async def test_a_word_inside_unspaced_text_is_marked(
    database: Database, session: SessionRow
) -> None:
    await stored.write(database, session, log(*prompt("今天我们修理数据库的错误")))
    (hit,) = await Search(database).search("数据")
    assert hit.snippet == "今天我们修理«数据»库的错误"


@pytest.mark.parametrize("query", ["", "   ", "!!!", "🎉", "\0", "-", '"', "*", "\ud800"])
async def test_a_query_without_words_finds_nothing(
    database: Database, session: SessionRow, query: str
) -> None:
    await stored.write(database, session, log(*prompt("something")))
    assert await Search(database).search(query) == []


@pytest.mark.fuzz
def test_no_query_is_ever_a_syntax_error(tmp_path_factory: pytest.TempPathFactory) -> None:
    database = Database.open(Home(tmp_path_factory.mktemp("search") / "home"), MIGRATIONS)
    words = st.sampled_from(["AND", "OR", "NOT", "NEAR(", ")", "text:", '"', "^", "*", "a", "{b}"])
    queries = st.text(max_size=30) | st.lists(words, max_size=40).map(" ".join)

    @settings(max_examples=examples(150, 3_000), deadline=None)
    @given(queries)
    def hunt(query: str) -> None:
        match = quoted(query)
        if match:
            database.read_now(
                lambda connection: connection.execute(
                    "SELECT rowid FROM words WHERE words MATCH ?", (match,)
                ).fetchall()
            )

    hunt()
    database.close()


async def test_an_event_that_cannot_be_read_does_not_stop_the_search(
    database: Database, session: SessionRow
) -> None:
    await stored.write(database, session, log(*prompt("needle"), *prompt("needle")))
    await database.write(
        lambda connection: connection.execute(
            "UPDATE events SET body = x'7b' WHERE idx = 2"
        ).close()
    )
    assert found(await Search(database).search("needle")) == [4]


async def test_a_snippet_of_a_long_text_is_short_and_cut_between_words(
    database: Database, session: SessionRow
) -> None:
    text = "lorem ipsum " * 100 + "the Needle and two\n\nneedles " + "dolor sit " * 100
    await stored.write(database, session, log(*prompt(text)))
    (hit,) = await Search(database).search("needle")
    assert "ipsum the «Needle» and two «needles» dolor" in hit.snippet
    assert hit.snippet.startswith("…")
    assert hit.snippet.endswith("…")
    assert len(hit.snippet) < 250
    assert set(hit.snippet.strip("…").split()) <= set(text.split()) | {"«Needle»", "«needles»"}
