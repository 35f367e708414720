"""Tasks that were handed on, as a person sees them: cards, who asks, and how to open their logs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call, say
from tests.cli.terminal import Terminal


def hand(task: str) -> dict[str, Any]:
    return {"do": "call", "name": "delegate", "input": {"agent": "helper", "task": task}}


def write(name: str) -> dict[str, Any]:
    return {"do": "call", "name": "write_file", "input": {"file_path": name, "content": "x\n"}}


HELPER = """name = "Helper"
slug = "helper"
description = "Helps."
type = "IterativeAgent"
system_prompt = "Help."
[limits]
iterations = 2
"""


@pytest.fixture
def model(tmp_path: Path, home: Path) -> str:
    """A model that hands a task on, by what it is asked to do; and an agent that takes it."""
    (home / "agents").mkdir(parents=True)
    (home / "agents" / "helper.toml").write_text(HELPER)
    turns = {
        "asking": [[hand("child: write it\nand be short")], [say("It was done.")]],
        "looking": [[hand("look: at it")], [say("It was seen.")]],
        "child": [[write("made.txt")], [say("Written:\nmade.txt")]],
        "look": [[say("Nothing but marmots.")]],
        "endless": [[{"do": "call", "name": "list_dir", "input": {"path": "."}}]] * 60,
    }
    rules = [{"when": word, "turns": steps} for word, steps in turns.items()]
    path = tmp_path / "tree.json"
    path.write_text(json.dumps({"rules": rules}))
    return f"scripted/{path}"


def listed(bottega: Call, *more: str) -> list[dict[str, Any]]:
    return json.loads(bottega("sessions", "--json", *more).out)


def test_children_are_listed_on_request_shown_by_their_parent_and_named_by_the_search(
    bottega: Call, model: str
) -> None:
    assert bottega("run", "-m", model, "looking").code == 0
    (parent,) = listed(bottega)
    top, child = listed(bottega, "--all")
    assert (top["id"], top["parent"]) == (parent["id"], None)
    assert child["parent"] == parent["id"]
    assert "└ helper: look: at it" in bottega("sessions", "--children").out

    shown = bottega("show", parent["id"]).out
    assert "● helper look: at it  ✓" in shown
    assert f"bottega show {child['id'][-8:]}" in shown
    assert "Nothing but marmots." in bottega("show", child["id"][-8:]).out
    assert f"child of {parent['id'][-8:]}" in bottega("search", "marmots").out


def test_an_export_says_that_children_are_not_in_it_and_a_deletion_takes_them(
    bottega: Call, model: str
) -> None:
    bottega("run", "-m", model, "looking")
    top, child = listed(bottega, "--all")
    assert f"Not in it: 1 child ({child['id'][-8:]})" in bottega("export", top["id"]).err
    assert bottega("delete", "--yes", top["id"]).code == 0
    assert listed(bottega, "--all") == []


def test_who_asks_is_said_wherever_it_is_answered(
    bottega: Call, child: Call, model: str, work: Path
) -> None:
    waits = child("run", "-m", model, "--mode", "ask", "asking")
    assert waits.code == 4
    assert "? helper asks: Write this file?" in waits.err
    assert "helper: write made.txt" in bottega("asks").out
    (ask,) = json.loads(bottega("asks", "--json").out)
    approved = bottega("approve", ask["id"], "allow")
    assert "? helper asks: Write this file?" in approved.out
    (session,) = listed(bottega)
    assert child("resume", session["id"]).code == 0
    assert (work / "made.txt").exists()
    assert "made.txt" in bottega("changes").out, "what a child changed, its parent changed"
    assert "+x" in bottega("changes", "--diff").out
    bottega("revert", "--yes")
    assert not (work / "made.txt").exists()


def test_a_limit_without_a_terminal_is_exit_code_3_with_its_reason(child: Call, model: str) -> None:
    ended = child("run", "-m", model, "--agent", "helper", "endless")
    assert ended.code == 3
    assert "2 model calls were made in this exchange: that is the limit." in ended.err


def test_a_task_is_a_card_with_its_agent_its_answer_and_its_log(
    env: dict[str, str], work: Path, model: str
) -> None:
    screen = Terminal(["chat", "-m", model, "--mode", "ask"], env, work, (40, 100))
    try:
        screen.wait_for("›")
        screen.line("asking")
        screen.wait_for("helper asks: Write this file?")
        screen.wait_for("y allow once")
        assert "? helper child: write it  waits for you" in screen.text()
        screen.send("y")
        screen.wait_for("It was done.")
        shown = screen.text()
    finally:
        screen.end()
    card = shown[shown.index("● helper child: write it  ✓") :]
    assert "│ Written:\n  │ made.txt\n" in card
    assert "↳ 2 steps · " in card
    assert "· bottega show " in card


def test_in_a_narrow_terminal_long_titles_give_way_and_ids_stay_whole(
    env: dict[str, str], work: Path, child: Call, model: str
) -> None:
    long = "looking " + "at everything that there is and then at the rest of it " * 2
    assert child("run", "-m", model, long).code == 0
    screen = Terminal(["sessions", "--all"], env, work, (20, 80))
    try:
        screen.wait_for("└ helper")
        rows = screen.text().splitlines()
    finally:
        screen.end()
    top, below = (row.split() for row in rows[1:3])
    assert len(top[0]) == len(below[0]) == 8
    assert top[-1].endswith("…")
