"""`bottega run --at`, remote agents and what an attached conversation shows: of servers elsewhere, from a terminal."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Call, Script, one_sentence, say
from tests.cli.terminal import Terminal
from tests.server.serving import Serving

WRITE = {"do": "call", "name": "write_file", "input": {"file_path": "new.txt", "content": "1\n"}}


@pytest.fixture
def serve(env: dict[str, str], tmp_path: Path) -> Iterator[Callable[[str], Serving]]:
    """A server in a home of its own, in a folder of its own."""
    started: list[Serving] = []
    (tmp_path / "there").mkdir()

    def start(model: str) -> Serving:
        environment = {**env, "BOTTEGA_MODEL": model}
        started.append(Serving(tmp_path / "other", tmp_path / "there", environment=environment))
        started[-1].start()
        return started[-1]

    yield start
    for each in started:
        each.__exit__(None, None, None)


def test_a_prompt_runs_at_an_address_with_the_flags_of_one_here(
    serve: Callable[[str], Serving],
    bottega: Call,
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = serve(script([say("First.")], [say("Second.")], [say('{"n": 7}')], [WRITE]))
    at = ("run", "--at", server.address)
    assert "BOTTEGA_TOKEN" in one_sentence(bottega(*at, "one"))
    monkeypatch.setenv("BOTTEGA_TOKEN", server.token())

    first = bottega(*at, "--json", "--effort", "low", "--mode", "plan", "one")
    events = [json.loads(line) for line in first.out.splitlines()]
    assert (first.code, events[-1]["type"]) == (0, "exchange_response"), first.err
    assert "Second." in bottega(*at, "-s", events[0]["session_id"][-8:], "two").out

    shape = '{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}'
    third = bottega(*at, "-s", events[0]["session_id"], "--schema", shape, "three")
    assert (third.code, json.loads(third.out)) == (0, {"n": 7})

    refused = bottega(*at, "--limits", "strict", "one")
    assert one_sentence(refused).startswith("--limits are set where the agent runs.")
    gone = bottega(*at, "--cwd", "/nowhere", "one")
    assert "is in no project of this server" in one_sentence(gone)

    monkeypatch.setenv("BOTTEGA_TOKEN", "another")
    assert "`bottega people token NAME`" in one_sentence(bottega(*at, "one"))
    server.kill()
    assert "cannot be reached" in one_sentence(bottega(*at, "one")), "said at once, not waited for"


def test_what_it_asks_there_is_told_with_how_to_answer_it(
    serve: Callable[[str], Serving],
    bottega: Call,
    script: Script,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "config.toml").write_text("patience = 0.1\n")
    server = serve(script([WRITE], [say("Written.")]))
    monkeypatch.setenv("BOTTEGA_TOKEN", server.token())
    done = bottega("run", "--at", server.address, "--no-stream", "write")
    assert done.code == 4, done.err
    assert f"bottega attach --at {server.address} " in done.err
    assert "bottega approve" not in done.err


def test_a_remote_agent_is_written_down_given_a_token_and_asked(
    serve: Callable[[str], Serving], bottega: Call, child: Call, script: Script, home: Path
) -> None:
    server = serve(script([say("From afar.")], [say("Again.")]))
    agents = home / "agents"
    agents.mkdir(parents=True)
    (agents / "office.toml").write_text(f'remote = {{ address = "{server.address}" }}\n')
    name = server.address.removeprefix("http://")

    assert bottega("agents", "validate", "office").code == 0
    unset = bottega("run", "--agent", "office", "hello")
    assert (unset.code, f"bottega keys set {name}" in unset.err) == (1, True)
    kept = child("keys", "set", name, stdin=f"{server.token()}\n")
    assert (kept.code, "bottega run --agent office" in kept.err) == (0, True), kept.err
    assert server.token() not in bottega("keys", "list").out

    unasked = bottega("run", "--agent", "office", "hello")
    assert (unasked.code, "bottega agents approve office" in unasked.err) == (1, True), unasked.err
    assert server.address in bottega("agents", "approve", "office").out
    assert bottega("run", "--agent", "office", "hello") == (0, "From afar.\n", "")
    assert server.address in bottega("agents", "show", "office").out
    assert server.address in child("chat", "--agent", "office", stdin="hi\n").out


def test_changes_are_shown_in_an_attached_conversation(
    serve: Callable[[str], Serving], env: dict[str, str], work: Path, script: Script
) -> None:
    server = serve(script([WRITE], [say("Written.")]))
    more = {**env, "BOTTEGA_TOKEN": server.token()}
    terminal = Terminal(["attach", "--at", server.address, "--new"], more, work, (30, 120))
    try:
        terminal.wait_for("›")
        terminal.line("/changes")
        terminal.wait_for("This session has changed no files.")
        terminal.wait_for("\n›", times=2)
        terminal.line("go")
        terminal.wait_for("y allow once")
        terminal.send("y")
        terminal.wait_for("Written.")
        terminal.wait_for("\n›", times=3)
        terminal.line("/changes")
        terminal.wait_for("new.txt", times=3)
        terminal.wait_for("\n›", times=4)
        terminal.line("/changes nothing.txt")
        terminal.wait_for("It has not.")
        terminal.wait_for("\n›", times=5)
        terminal.line("/context")
        terminal.wait_for("% full")
        terminal.hang_up()
        assert terminal.leave() == 0
    finally:
        terminal.end()
