"""A history that is remembered is the one that the log would give."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from bottega.messages.message import Message
from bottega.studio import Studio
from bottega.workers.acting.known import Known
from bottega.workers.recall import MOST, Recall, Recalled

Scripted = Callable[..., str]


def test_a_history_is_given_out_once_and_only_for_the_same_length_of_log() -> None:
    recall = Recall()
    history = Recalled([Message("user", ())], Known())
    recall.keep(1, 7, history)
    assert recall.take(1, 8) is None
    assert recall.take(1, 7) is None, "it was of no use before, and is gone"
    recall.keep(1, 7, history)
    assert recall.take(1, 7) is history
    assert recall.take(1, 7) is None


def test_only_the_last_sessions_are_remembered() -> None:
    recall = Recall()
    for n in range(MOST + 1):
        recall.keep(n, 1, Recalled([], Known()))
    assert recall.take(0, 1) is None
    assert recall.take(MOST, 1) is not None


async def test_what_is_remembered_is_what_the_log_says(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted(
        [{"do": "call", "name": "read_file", "input": {"file_path": "notes.txt"}}],
        [{"do": "say", "text": "Read."}],
        [{"do": "say", "text": "Again."}],
    )
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder)
        for text in ("one", "two"):
            await session.prompt(text)
            await asyncio.wait({studio.worker.attend(session.row)})
            seq = studio.runtime.database.read_now(
                lambda c: c.execute("SELECT owner_seq FROM sessions").fetchone()[0]
            )
            known = studio.worker._recall.take(session.row.n, seq)
            assert known is not None
            told = [
                (message.role, message.content, message.model)
                for message in await session.history()
            ]
            assert [(m.role, m.content, m.model) for m in known.history] == told
            studio.worker._recall.keep(session.row.n, seq, known)
    async with Studio(home) as other:
        again = await other.resume(session.id)
        assert (await again.prompt("three")).success
