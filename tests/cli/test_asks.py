"""Asks, end to end: in a conversation by one key, and without a terminal by commands."""

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call, Script, one_sentence, say
from tests.cli.terminal import Terminal

Open = Callable[..., Terminal]

KEYS = "y allow once"


def call(name: str, **given: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": given}


def write(path: str, content: str = "new\n") -> dict[str, Any]:
    return call("write_file", file_path=path, content=content)


@pytest.fixture
def program(env: dict[str, str], work: Path) -> Iterator[Open]:
    opened: list[Terminal] = []

    def open_(*arguments: str, size: tuple[int, int] = (40, 100)) -> Terminal:
        terminal = Terminal(list(arguments), env, work, size)
        opened.append(terminal)
        return terminal

    yield open_
    for terminal in opened:
        terminal.end()


@pytest.fixture
def told(bottega: Call) -> Callable[[str], list[dict[str, Any]]]:
    """The facts of the only session, of one type."""

    def facts(kind: str) -> list[dict[str, Any]]:
        session = json.loads(bottega("sessions", "--json").out)[0]["id"]
        events = map(json.loads, bottega("events", session, "--json").out.splitlines())
        return [event["data"] for event in events if event["type"] == kind and not event["sub"]]

    return facts


Told = Callable[[str], list[dict[str, Any]]]


@pytest.mark.requirement("T44", "C9")
def test_in_a_conversation_each_key_decides_and_the_model_hears_of_it(
    program: Open, script: Script, work: Path, told: Told
) -> None:
    model = script(
        [write("one.txt")],
        [write("two.txt")],
        [call("bash_exec", command="echo hello > three.txt")],
        [say("All three.")],
    )
    terminal = program("chat", "-m", model)
    terminal.wait_for("›")
    terminal.line("go")
    terminal.wait_for("│ one.txt (new file)  +1\n│ 1 + new\n")
    terminal.wait_for(KEYS)
    assert not (work / "one.txt").exists()
    terminal.send("y")
    terminal.wait_for("✓ Allowed once.")
    terminal.wait_for("● write one.txt +1  ✓")

    terminal.wait_for("│ two.txt (new file)")
    terminal.wait_for(KEYS)
    terminal.send("n")
    terminal.wait_for("Why? (Enter: no reason) ›")
    terminal.send("one is enough\r")
    terminal.wait_for("● write two.txt  ⊘ denied: one is enough")

    terminal.wait_for("│ echo hello > three.txt")
    terminal.wait_for(KEYS)
    terminal.send("e")
    terminal.wait_for("edit › echo hello > three.txt")
    terminal.send("\x7f" * len("three.txt") + "four.txt\r")
    terminal.wait_for("● $ echo hello > four.txt  ✓ exit 0")
    terminal.wait_for("2 files changed · bottega changes")
    terminal.line("/changes")
    terminal.wait_for("four.txt (new file)  +1\n1 + hello\n\none.txt (new file)  +1\n1 + new\n")

    assert (work / "one.txt").read_text() == "new\n"
    assert (work / "four.txt").read_text() == "hello\n"
    assert not (work / "two.txt").exists()
    assert not (work / "three.txt").exists()
    assert [each["answer"] for each in told("approval_resolved")] == ["allow_once", "deny", "edit"]
    assert "one is enough" in told("tool_result")[1]["content"][0]["text"]


@pytest.mark.requirement("T44", "C9")
def test_allowing_all_covers_the_rest_of_what_waits_and_what_comes(
    program: Open, script: Script, work: Path, told: Told
) -> None:
    model = script([write("a.new"), write("b.new"), write("c.new")], [write("d.new")], [say("x")])
    terminal = program("chat", "-m", model)
    terminal.wait_for("›")
    terminal.line("go")
    terminal.wait_for("a allow all write_file")
    terminal.wait_for("2 more wait behind it.")
    terminal.send("a")
    terminal.wait_for("✓ Allowed from now on: write_file")
    terminal.wait_for("● write b.new +1  ✓")
    terminal.wait_for("  │ b.new (new file)  +1\n  │ 1 + new\n")  # nobody has looked at that one
    terminal.wait_for("● write d.new +1  ✓")
    terminal.wait_for("4 files changed")

    assert sorted(path.name for path in work.glob("*.new")) == ["a.new", "b.new", "c.new", "d.new"]
    assert len(told("approval_required")) == 3
    assert {each["answer"] for each in told("approval_resolved")} == {"allow_all", "allow_once"}


@pytest.mark.requirement("T44", "C9")
@pytest.mark.parametrize("key", ["s", "\x03"])
def test_a_stop_while_asking_ends_the_exchange_and_nothing_ran(
    program: Open, script: Script, work: Path, told: Told, key: str
) -> None:
    terminal = program("chat", "-m", script([write("never.txt")], [say("Again.")]))
    terminal.wait_for("›")
    terminal.line("go")
    terminal.wait_for(KEYS)
    terminal.send(key)
    terminal.wait_for("■ Stopped.")
    terminal.wait_for("›", times=2)
    terminal.line("again")
    terminal.wait_for("Again.")

    assert not (work / "never.txt").exists()
    assert told("tool_intent") == []


def test_who_types_the_next_prompt_while_a_question_appears_allows_nothing(
    program: Open, script: Script, work: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    held = {"do": "gate", "path": str(gate)}
    terminal = program("chat", "-m", script([say("Wait."), held, write("x.txt")], [say("End.")]))
    terminal.wait_for("›")
    terminal.line("go")
    terminal.wait_for("Wait.")
    terminal.send("yyy\ry")
    gate.touch()
    terminal.wait_for(KEYS)

    assert not (work / "x.txt").exists()
    terminal.send("n")
    terminal.wait_for("Why?")
    terminal.send("\r")
    terminal.wait_for("End.")
    assert not (work / "x.txt").exists()


@pytest.mark.requirement("C9")
def test_what_waits_outlives_the_terminal_and_the_first_of_two_answers_counts(
    program: Open, script: Script, work: Path, told: Told
) -> None:
    lost = program("chat", "-m", script([write("kept.txt")], [say("Written.")]))
    lost.wait_for("›")
    lost.line("go")
    lost.wait_for(KEYS)
    lost.signal(signal.SIGHUP)
    lost.leave()

    one, two = program("chat", "--continue"), program("chat", "--continue")
    for terminal in (one, two):
        terminal.wait_for("│ kept.txt (new file)")
        terminal.wait_for(KEYS)
    one.send("y")
    two.send("y")
    for terminal in (one, two):
        terminal.wait_for("✓ Allowed once")
        terminal.wait_for("● write kept.txt +1  ✓")
        terminal.wait_for("Written.")
        assert KEYS not in terminal.text()
    late = "✓ Allowed once by another program."
    assert [late in one.text(), late in two.text()].count(True) == 1
    assert (work / "kept.txt").read_text() == "new\n"
    assert len(told("approval_resolved")) == 1


def test_a_plan_is_accepted_by_a_key_and_carried_out(
    program: Open, script: Script, work: Path, told: Told
) -> None:
    model = script(
        [write("early.txt")],
        [say("1. Write planned.txt.")],
        [write("planned.txt")],
        [say("Carried out.")],
    )
    terminal = program("chat", "--mode", "plan", "-m", model)
    terminal.wait_for("plan ›")
    terminal.line("plan it")
    terminal.wait_for("● write early.txt  ⊘ blocked in plan mode")
    terminal.wait_for("? Accept this plan?")
    terminal.wait_for("a in ask mode  l in allow mode  e edit  d discard  Enter keeps planning")
    terminal.send("a")
    terminal.wait_for("│ planned.txt (new file)")
    terminal.wait_for(KEYS)
    terminal.send("y")
    terminal.wait_for("Carried out.")
    terminal.line("/mode")
    terminal.wait_for("ask: it asks before anything that matters.")
    terminal.send("\x1b[Z\x1b[Z")
    terminal.wait_for("plan ›", times=2)

    assert [path.name for path in work.glob("*.txt")].count("early.txt") == 0
    assert (work / "planned.txt").exists()
    assert [each["mode"] for each in told("mode_changed")] == ["ask"]


def test_without_a_terminal_a_run_ends_at_once_with_what_waits(
    bottega: Call, script: Script, work: Path
) -> None:
    model = script([write("late.txt")], [say("Written.")])
    ended = bottega("run", "-m", model, "write it")

    assert ended.code == 4
    assert ended.out == ""
    (waiting,) = json.loads(bottega("asks", "--json").out)
    assert waiting["tool_name"] == "write_file"
    assert waiting["input"] == {"file_path": "late.txt", "content": "new\n"}
    assert "+new" in waiting["detail"]["diff"]
    ask, session = waiting["id"][-8:], waiting["session_id"][-8:]
    assert "│ late.txt (new file)  +1\n│ 1 + new\n" in ended.err
    assert f"bottega approve {ask} allow" in ended.err
    assert f"bottega resume {session}" in ended.err
    assert f"{ask}  {session}" in bottega("asks").out

    still = bottega("resume", session)
    assert (still.code, still.out) == (4, "")
    wrong = bottega("approve", ask, "answer", "--note", "x")
    assert one_sentence(wrong).startswith("'answer' is no answer to this. It takes: allow, all")
    assert wrong.code == 2

    slip = bottega("approve", ask, "all", "--grant", "write_fiel")
    assert one_sentence(slip).startswith(
        "'write_fiel' was not offered for this ask. Offered: write"
    )
    assert one_sentence(bottega("approve", ask, "edit")).startswith("`edit` needs --input")

    allowed = bottega("approve", ask, "allow")
    assert allowed.code == 0
    assert "│ 1 + new\n" in allowed.out
    assert f"Allowed once. Go on with: bottega resume {session}" in allowed.out
    late = bottega("approve", ask, "deny")
    assert late.code == 5
    assert late.err == "bottega: This was answered already (allow once); the first answer counts.\n"
    assert not (work / "late.txt").exists()

    done = bottega("resume", session, "--json")
    types = [json.loads(line)["type"] for line in done.out.splitlines()]
    assert done.code == 0
    assert types[0] == "tool_intent"
    assert types[-1] == "exchange_response"
    assert (work / "late.txt").exists()
    assert one_sentence(bottega("resume", session)).startswith("Nothing in this session waits")
    assert bottega("asks").out == "Nothing waits for an answer.\n"


def test_run_asks_on_a_terminal_and_takes_the_mode_that_it_is_told(
    program: Open, script: Script, work: Path
) -> None:
    asking = program("run", "-m", script([write("asked.txt")], [say("Done.")]), "go")
    asking.wait_for("│ asked.txt (new file)  +1")
    asking.wait_for(KEYS)
    asking.send("y")
    assert asking.leave() == 0
    assert "✓ Allowed once." in asking.text()
    assert (work / "asked.txt").exists()

    allowed = program(
        "run", "--mode", "allow", "-m", script([write("free.txt")], [say("Done.")]), "go"
    )
    assert allowed.leave() == 0
    assert "● write free.txt +1  ✓" in allowed.text()
    assert "│ 1 + new" in allowed.text()
    assert (work / "free.txt").exists()


def test_lines_from_a_pipe_cannot_approve(child: Call, script: Script, work: Path) -> None:
    model = script([write("x.txt")], [say("Done.")])

    ended = child("chat", "-m", model, stdin="go\ny\nyes\n")

    assert ended.code == 4
    assert "bottega approve" in ended.out
    assert not (work / "x.txt").exists()


def test_a_denial_by_a_command_carries_its_note(bottega: Call, script: Script, told: Told) -> None:
    bottega("run", "-m", script([write("x.txt")], [say("As you wish.")]), "go")
    (waiting,) = json.loads(bottega("asks", "--json").out)
    denied = bottega("approve", waiting["id"], "deny", "--note", "not now", "--json")

    assert json.loads(denied.out)["answer"] == "deny"
    done = bottega("resume", waiting["session_id"])
    assert (done.code, done.out) == (0, "As you wish.\n")
    assert "not now" in told("tool_result")[0]["content"][0]["text"]


def test_a_plan_is_accepted_by_a_command(bottega: Call, script: Script, work: Path) -> None:
    model = script([say("1. Write it.")], [write("planned.txt")], [say("Carried out.")])
    planned = bottega("run", "--mode", "plan", "-m", model, "plan it")
    (waiting,) = json.loads(bottega("asks", "--json").out)

    assert (planned.code, planned.out) == (0, "1. Write it.\n")
    assert f"bottega approve {waiting['id'][-8:]} accept" in planned.err
    done = bottega("approve", waiting["id"], "accept", "--mode", "allow")
    assert done.code == 0
    assert done.out.endswith("Carried out.\n")
    assert (work / "planned.txt").exists()


@pytest.mark.requirement("C1")
def test_at_a_limit_one_key_goes_on_and_enter_decides_nothing(
    program: Open, script: Script, home: Path, told: Told
) -> None:
    (home / "agents").mkdir(parents=True)
    spec = 'name = "Short"\nsystem_prompt = "Work."\n[limits]\niterations = 1\n'
    (home / "agents" / "short.toml").write_text(spec)
    looks = [[call("list_dir", path=f"p{n}")] for n in range(2)]
    terminal = program("chat", "--agent", "short", "-m", script(*looks, [say("Done.")]))
    terminal.wait_for("›")
    terminal.line("look")
    terminal.wait_for("y go on, up to 2 model calls")
    terminal.send("\r")
    terminal.wait_for("Enter decides nothing here")
    terminal.send("y")
    terminal.wait_for("y go on, up to 4 model calls")
    terminal.send("y")
    terminal.wait_for("free ·")
    assert terminal.text().count("✓ Raised.") == 2
    assert [each["answer"] for each in told("approval_resolved")] == ["raise", "raise"]
    assert told("exchange_response")[0]["final_response"] == "Done."
