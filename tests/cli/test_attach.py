"""`bottega attach` on a real terminal: a session of a running server, seen and driven as in a conversation."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bottega.client import Remote
from tests.cli.conftest import Call, Script, one_sentence, say
from tests.cli.terminal import Terminal
from tests.server.serving import Serving

Attach = Callable[..., Terminal]

WRITE = {"do": "call", "name": "write_file", "input": {"file_path": "new.txt", "content": "1\n"}}


@pytest.fixture
def serve(env: dict[str, str], home: Path, work: Path) -> Iterator[Callable[[str], Serving]]:
    started: list[Serving] = []

    def start(model: str) -> Serving:
        started.append(Serving(home, work, environment={**env, "BOTTEGA_MODEL": model}))
        started[-1].start()
        return started[-1]

    yield start
    for each in started:
        each.__exit__(None, None, None)


@pytest.fixture
def attach(env: dict[str, str], work: Path) -> Iterator[Attach]:
    opened: list[Terminal] = []

    def open_(*arguments: str, **more: str) -> Terminal:
        opened.append(Terminal(["attach", *arguments], {**env, **more}, work, (30, 120)))
        return opened[-1]

    yield open_
    for terminal in opened:
        terminal.end()


def test_a_session_is_begun_driven_by_keys_survives_a_kill_and_goes_on_when_one_leaves(
    serve: Callable[[str], Serving], attach: Attach, script: Script, work: Path, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    held = {"do": "gate", "path": str(gate)}
    model = script([say("Half of it. "), held, WRITE], [say("Written.")], [say("Elsewhere.")])
    server = serve(model)
    terminal = attach()
    terminal.wait_for("›")
    terminal.line("go")
    terminal.wait_for("Half of it.")
    terminal.send("mind the gap")
    terminal.wait_for("› mind the gap▏")
    terminal.send("\r")
    terminal.wait_for("› mind the gap\n")
    gate.touch()
    terminal.wait_for("y allow once")
    terminal.send("y")
    terminal.wait_for("✓ Allowed once.")
    terminal.wait_for("Written.")
    assert (work / "new.txt").read_text() == "1\n"
    terminal.wait_for(" out ·")

    terminal.wait_for("\n›")
    terminal.send("a draft")
    terminal.wait_for("› a draft")
    server.kill()
    terminal.wait_for("Connection lost, trying again…")
    server.start()
    terminal.wait_for("Connected again.")
    asyncio.run(_prompt(server, "said elsewhere"))
    terminal.wait_for("› said elsewhere")
    terminal.wait_for("Elsewhere.")
    terminal.wait_for(" out ·", times=2)
    terminal.wait_for("› a draft")

    terminal.send("\x15")
    terminal.hang_up()
    assert terminal.leave() == 0
    assert "The session goes on. Come back with: bottega attach" in terminal.text()
    assert [each.text for each in asyncio.run(_steers(server))] == ["mind the gap"]


def test_who_comes_later_sees_what_was_said_and_what_runs_and_ctrl_c_stops_it(
    serve: Callable[[str], Serving], attach: Attach, script: Script, tmp_path: Path
) -> None:
    never = {"do": "gate", "path": str(tmp_path / "never")}
    server = serve(script([say("First.")], [say("Half. "), never]))
    asyncio.run(_prompt(server, "one"))
    name = asyncio.run(_admit(server, "two"))
    terminal = attach(name[-8:])
    terminal.wait_for("› one")
    terminal.wait_for("First.")
    terminal.wait_for("› two")
    terminal.wait_for("Half.")
    terminal.send("\x03")
    terminal.wait_for("■ Stopped.")
    terminal.wait_for("\n›")
    terminal.line("/mode plan")
    terminal.wait_for("plan ›")
    terminal.line("/agents")
    terminal.wait_for("coder")
    terminal.hang_up()
    assert terminal.leave() == 0


def test_without_a_server_or_a_token_it_says_what_to_do(child: Call) -> None:
    assert one_sentence(child("attach")) == (
        "No server runs in this home. `bottega serve` starts one; --at ADDRESS uses one elsewhere."
    )
    assert "BOTTEGA_TOKEN" in one_sentence(child("attach", "--at", "http://127.0.0.1:9"))
    gone = child("attach", "--at", "http://127.0.0.1:9", more={"BOTTEGA_TOKEN": "x"})
    assert "cannot be reached" in one_sentence(gone)


def test_a_program_may_say_its_lines_to_a_server_at_an_address(
    serve: Callable[[str], Serving], child: Call, script: Script
) -> None:
    server = serve(script([say("First.")], [say("Second.")]))
    token = {"BOTTEGA_TOKEN": server.token()}
    done = child("attach", "--at", server.address, stdin="one\ntwo\n", more=token)
    assert done.code == 0, done.err
    assert done.out.index("First.") < done.out.index("Second.")
    assert "\x1b" not in done.out


async def _prompt(server: Serving, text: str) -> None:
    async with Remote(server.address, server.token()) as studio:
        rows = await studio.sessions(1)
        session = await studio.resume(rows[0].id) if rows else await studio.start()
        await session.prompt(text)


async def _admit(server: Serving, text: str) -> str:
    """Say it to the newest session, and leave once it is being answered."""
    async with Remote(server.address, server.token()) as studio:
        session = await studio.resume((await studio.sessions(1))[0].id)
        async for event in session.prompt(text):
            if event.type == "text_delta":
                break
        return session.id


async def _steers(server: Serving) -> list[object]:
    async with Remote(server.address, server.token()) as studio:
        session = await studio.resume((await studio.sessions(1))[0].id)
        return [block for each in await session.steps() for said in each.steers for block in said]
