"""kill -9 at every failpoint and at random moments of a stream."""

import random
import re
from pathlib import Path

import pytest

from bottega.studio import Studio
from tests.chaos.after_death import nothing_shown_is_lost, work_goes_on
from tests.chaos.victim import Victim
from tests.hunt import LONG, SEED

POINTS = (
    "storage.before_commit",
    "storage.after_commit",
    "log.before_insert",
    "log.after_insert",
    "pen.after_write",
    "inbox.after_admit",
    "lease.before_take",
    "lease.before_release",
    "migrate.before_commit",
    "tool.after_intent",
    "tool.after_effect",
)
DEPTH = 12 if LONG else 4
"""How many passages through each point are tried."""

SCRIPT = """{"turns": [
  [{"do": "think", "text": "Let me look around first."},
   {"do": "say", "text": "I will look at the folder and read a file.", "pace_ms": 1},
   {"do": "call", "name": "list_dir", "input": {"path": "."}},
   {"do": "call", "name": "read_file", "input": {"file_path": "notes.txt"}}],
  [{"do": "say", "text": "There it is: one file, and it says hello to the world.", "pace_ms": 1}]
]}"""


def test_every_failpoint_in_the_code_is_tried_by_some_test() -> None:
    root = Path(__file__).parent.parent
    code = "".join(path.read_text() for path in (root.parent / "src").rglob("*.py"))
    tests = "".join(path.read_text() for path in root.rglob("*.py"))
    named = set(re.findall(r'failpoint\("([a-z_.]+)"\)', code))
    assert named
    assert {name for name in named if f'"{name}' not in tests} == set()


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, str, Path]:
    """A home, a scripted model and a folder to work in."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "notes.txt").write_text("hello world\n")
    script = tmp_path / "script.json"
    script.write_text(SCRIPT)
    return tmp_path / "home", f"scripted/{script}", folder


@pytest.mark.chaos
@pytest.mark.parametrize("passage", range(1, DEPTH + 1))
@pytest.mark.parametrize("point", POINTS)
async def test_a_kill_at_a_failpoint_loses_nothing_that_was_shown(
    place: tuple[Path, str, Path], point: str, passage: int
) -> None:
    home, model, folder = place
    victim = Victim(home, model, folder, f"{point}=kill@{passage}")
    seen = victim.last_words()
    if passage == 1:
        assert victim.process.exitcode == -9, "the point was never passed"
    if (home / "bottega.db").exists():
        nothing_shown_is_lost(home, seen)
    await work_goes_on(home, model, folder)


@pytest.mark.chaos
@pytest.mark.parametrize("life", range(200 if LONG else 40))
async def test_a_kill_at_a_random_moment_loses_nothing_that_was_shown(
    place: tuple[Path, str, Path], life: int
) -> None:
    home, model, folder = place
    dice = random.Random(SEED * 1000 + life)
    victim = Victim(home, model, folder)
    wanted = dice.randrange(200, 24_000)
    shown = b""
    while len(shown) < wanted:
        piece = victim.first_bytes()
        if not piece:
            break
        shown += piece
    victim.kill()
    nothing_shown_is_lost(home, victim.last_words(shown))
    await work_goes_on(home, model, folder)


@pytest.mark.chaos
@pytest.mark.requirement("C21")
@pytest.mark.parametrize("passage", range(1, DEPTH + 9))
async def test_a_last_answer_that_outlived_its_process_is_the_end_and_nobody_is_asked_again(
    tmp_path: Path, passage: int
) -> None:
    """In plan mode the plan is offered between the last answer and the end, which is one commit more to die after."""
    home, folder = tmp_path / "home", tmp_path / "project"
    folder.mkdir()
    (tmp_path / "s.json").write_text(TWICE)
    model = f"scripted/{tmp_path / 's.json'}"
    Victim(home, model, folder, f"storage.after_commit=kill@{passage}", mode="plan").last_words()
    async with Studio(home, on_crash="resume") as studio:
        rows = await studio.sessions(1)
        if not rows or not (following := studio.find(rows[0].id).resume()):
            return  # it died before it was asked, or after the end
        end = await following
        plans = [ask for ask in studio.find(rows[0].id).asks() if ask.kind == "plan"]
    assert (end.final_response, end.iterations) == ("The first answer.", 1)
    assert len(plans) == 1


@pytest.mark.chaos
@pytest.mark.parametrize("passage", range(1, DEPTH + 5))
async def test_a_plan_of_before_is_not_on_offer_whenever_its_follower_dies(
    tmp_path: Path, passage: int
) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    folder.mkdir()
    (tmp_path / "s.json").write_text(TWICE)
    model = f"scripted/{tmp_path / 's.json'}"
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode="plan")
        await session.prompt("go")
        assert [ask.kind for ask in session.asks()] == ["plan"]
    Victim(home, model, folder, f"storage.after_commit=kill@{passage}").last_words()
    async with Studio(home, on_crash="resume") as studio:
        session = studio.find(session.id)
        if following := session.resume():
            await following
        ends = [event for event in await session.facts() if event.type == "exchange_response"]
        assert [ask.message_id for ask in session.asks()] == [ends[-1].message_id]


TWICE = """{"turns": [
  [{"do": "say", "text": "The first answer."}],
  [{"do": "say", "text": "A second one that nobody asked for."}]
]}"""
