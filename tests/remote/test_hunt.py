"""Kills of both servers and cut lines, at random, while one answers in a session of the other: nothing is lost."""

import asyncio
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bottega.agents.agent import Whereabouts
from bottega.client import Remote
from bottega.events.event import Event
from bottega.sessions.asks import Ask, Reply
from tests.client.cutting import Cutting, cutting
from tests.hunt import SEED, examples
from tests.remote.conftest import agent_there, remote_file
from tests.remote.logs import carried, log_there, there
from tests.server.serving import Serving

SLOW = {"do": "say", "text": "word " * 40, "pieces": 40, "pace_ms": 8}
LOOK = {"do": "call", "name": "list_dir", "input": {}}
WRITE = {"do": "call", "name": "write_file", "input": {"file_path": "a.txt", "content": "1\n"}}


@pytest.fixture
def near(tmp_path: Path) -> Iterator[Serving]:
    """The server in whose session the other one answers."""
    (tmp_path / "near").mkdir()
    with Serving(tmp_path / "near-home", tmp_path / "near") as server:
        yield server


@pytest.mark.chaos
@pytest.mark.requirement("N03", "C14")
async def test_whatever_dies_and_whenever_both_logs_tell_the_same(
    serving: Serving, near: Serving, scripted: Callable[..., str]
) -> None:
    print(f"seed {SEED}")
    dice = random.Random(SEED)
    turns = [[SLOW, LOOK], [SLOW, WRITE], [SLOW]]
    agent_there(serving, scripted(*turns * 3, name="far"))
    async with cutting(serving.address) as line:
        remote_file(near.home, Whereabouts(line.address, "doer"), serving.token())
        for _ in range(examples(1, 40)):
            (serving.folder / "a.txt").unlink(missing_ok=True)
            await _round(dice, serving, near, line)


async def _round(dice: random.Random, far: Serving, near: Serving, line: Cutting) -> None:
    moments = sorted(dice.sample(range(3, 90), examples(2, 4)))
    seen: list[Event] = []
    async with Remote(near.address, near.token()) as remote:
        session = await remote.start(agent="afar")
        async for event in session.prompt("go", on_approval=_allow):
            seen.append(event)
            if moments and len(seen) >= moments[0]:
                del moments[0]
                await _strike(dice, far, near, line)
    ends = [event for event in seen if event.type == "exchange_response"]
    assert [end.data.success for end in ends] == [True]
    assert (far.folder / "a.txt").read_text() == "1\n"
    mine, theirs = await log_there(near, session.id), await log_there(far, there(seen))
    assert carried(mine, "approval_resolved") == carried(theirs, "approval_resolved")
    assert sum(body.startswith(b'{"type":"prompt_queued"') for body in theirs) == 1


async def _strike(dice: random.Random, far: Serving, near: Serving, line: Cutting) -> None:
    match dice.choice(["line", "far", "near", "both"]):
        case "line":
            line.sever()
        case "far":
            await asyncio.to_thread(_killed, far)
        case "near":
            await asyncio.to_thread(_killed, near)
        case _:
            await asyncio.to_thread(_killed, far, near)


def _killed(*servers: Serving) -> None:
    for each in servers:
        each.kill()
    for each in servers:
        each.start()


def _allow(ask: Ask) -> Reply:
    return Reply("continue") if ask.kind == "resume" else Reply("allow_once")
