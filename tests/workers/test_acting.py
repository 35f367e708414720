"""What a run does to its folder: commands in a sandbox, edits that are told and undone, and what is known of files."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega.errors import Refused
from bottega.events.event import Event
from bottega.messages.block import plain_text
from bottega.studio import Session, Studio
from tests.chaos.victim import Victim
from tests.workers.test_ends import whole

Scripted = Callable[..., str]
SAY = [{"do": "say", "text": "Done."}]


def call(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": arguments}


def write(path: str, content: str) -> dict[str, Any]:
    return call("write_file", file_path=path, content=content)


def results(log: list[Event]) -> list[Any]:
    return [event.data for event in log if event.type == "tool_result"]


def told(result: Any) -> dict[str, Any]:
    return msgspec.json.decode(plain_text(result.content))


async def ran(home: Path, folder: Path, model: str) -> list[Event]:
    """The log of one prompt in allow mode."""
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        await session.prompt("go")
        return await whole(session)


@pytest.mark.requirement("T32")
async def test_a_command_runs_in_the_folder_and_what_it_changed_is_noticed(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    command = "echo new > made.txt; echo more >> notes.txt; echo said; echo wrong >&2; exit 3"
    log = await ran(home, folder, scripted([call("bash_exec", command=command)], SAY))
    (result,) = results(log)
    said = told(result)["result"]
    assert (said["stdout"], said["stderr"], said["exit_code"]) == ("said\n", "wrong\n", 3)
    assert {one.path for one in result.writes} == {"made.txt", "notes.txt"}
    assert (folder / "made.txt").read_text() == "new\n"


async def test_nothing_of_a_run_goes_on_after_it(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    command = "(while :; do date +%N > beat; done) >/dev/null 2>&1 &"
    await ran(home, folder, scripted([call("bash_exec", command=command)], SAY))
    before = (folder / "beat").read_text() if (folder / "beat").exists() else ""
    await asyncio.to_thread(_a_process_came_and_went)
    assert ((folder / "beat").read_text() if (folder / "beat").exists() else "") == before


def _a_process_came_and_went() -> None:
    import subprocess

    for _ in range(20):
        subprocess.run(["true"], check=True)


async def test_a_cancel_ends_a_command_at_once_with_all_that_it_started(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    command = "trap '' TERM; setsid sleep 1000 & echo started; sleep 1000"
    model = scripted([call("bash_exec", command=command, timeout=600)], SAY)
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        answer = session.prompt("go")
        async with asyncio.timeout(20):
            async for event in answer:
                if event.type == "tool_output_delta":
                    await answer.cancel()
        log = await whole(session)
    assert [event.data.stop_reason for event in log if event.type == "exchange_response"] == [
        "cancelled"
    ]
    assert "outcome unknown" in plain_text(results(log)[0].content)


@pytest.mark.requirement("C20")
async def test_a_file_that_changed_since_it_was_read_is_not_overwritten(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    patch = call(
        "patch_file",
        file_path="notes.txt",
        patches=[{"old_text": "hello", "new_text": "goodbye"}],
    )
    model = scripted([call("read_file", file_path="notes.txt")], SAY, [patch], SAY, [patch], SAY)
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        await session.prompt("read it")
        (folder / "notes.txt").write_text("hello again, by a person\n")
    async with Studio(home) as studio:  # what was seen is known from the log
        session = await studio.resume(session.id)
        await session.prompt("change it")
        refused = told(results(await whole(session))[-1])
    assert refused["error"]["code"] == "STALE"
    assert (folder / "notes.txt").read_text() == "hello again, by a person\n"


@pytest.mark.requirement("C17")
async def test_a_file_that_is_gone_is_read_from_the_log(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    read = call("read_file", file_path="a.txt")
    model = scripted([write("a.txt", "kept\n")], SAY, [read], SAY)
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        await session.prompt("write it")
        (folder / "a.txt").unlink()
    async with Studio(home) as studio:
        session = await studio.resume(session.id)
        await session.prompt("read it")
        said = told(results(await whole(session))[-1])["result"]
    assert said["content"] == "kept\n"
    assert said["source"] == "log"


@pytest.mark.requirement("A48")
async def test_a_long_result_is_cut_and_the_rest_of_it_can_be_read(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([call("bash_exec", command="seq 1 20000")], SAY)
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        await session.prompt("go")
        said = plain_text(results(await whole(session))[0].content)
        output = told(results(await session.facts())[0])["result"]["output_id"]
        look = call("read_output", output_id=output, start_line=9_999, end_line=10_001)
        model = scripted(SAY, SAY, [look], SAY, name="again")
        await session.prompt("more", model=model)
        more = told(results(await whole(session))[-1])["result"]
    assert len(said) < 12_000
    assert "read_output" in said
    assert "10000" in str(more)


@pytest.mark.parametrize(
    ("point", "made"),
    [
        ("tool.after_intent", False),
        ("files.before_rename", False),
        ("files.after_rename", True),
        ("tool.after_effect", True),
    ],
)
@pytest.mark.parametrize("on_crash", ["resume", "close"])
async def test_after_a_crash_an_edit_is_compared_with_the_file_and_made_once(
    home: Path, folder: Path, scripted: Scripted, point: str, made: bool, on_crash: Any
) -> None:
    Victim(home, scripted([write("a.txt", "1\n")], SAY), folder, f"{point}=kill").last_words()
    assert (folder / "a.txt").exists() is made
    async with Studio(home, on_crash=on_crash) as studio:
        (row,) = await studio.sessions()
        session = await studio.resume(row.id)
        log = await whole(session)
    (result,) = results(log)
    assert (folder / "a.txt").exists() is (made or on_crash == "resume")
    assert result.is_error is not (made or on_crash == "resume")
    assert not list(folder.glob(".*.tmp"))


async def test_after_a_crash_a_command_is_interrupted_and_not_repeated(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    model = scripted([call("bash_exec", command="echo here >> trace")], SAY)
    Victim(home, model, folder, "tool.after_effect=kill").last_words()
    async with Studio(home, on_crash="resume") as studio:
        (row,) = await studio.sessions()
        session = await studio.resume(row.id)
        log = await whole(session)
    assert (folder / "trace").read_text() == "here\n"
    assert "outcome unknown" in plain_text(results(log)[0].content)
    assert log[-1].data.success


async def test_several_files_are_edited_all_or_none_after_a_crash_too(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    edits = [
        {"file_path": name, "patches": [{"old_text": "", "new_text": f"{name}\n"}]}
        for name in ("a", "b", "c")
    ]
    model = scripted([call("multi_edit", edits=edits)], SAY)
    Victim(home, model, folder, "files.after_rename=kill@2").last_words()
    there = [name for name in "abc" if (folder / name).exists()]
    assert 0 < len(there) < 3, "the crash was in the middle"
    async with Studio(home, on_crash="close") as studio:
        (row,) = await studio.sessions()
        session: Session = await studio.resume(row.id)
        await whole(session)
    left = [name for name in "abc" if (folder / name).exists()]
    assert left in ([], ["a", "b", "c"])


@pytest.mark.requirement("A45")
async def test_what_was_read_is_read_again_once_it_was_written(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    read = call("read_file", file_path="notes.txt")
    model = scripted([read], [read], [write("notes.txt", "new\n")], [read], SAY)
    log = await ran(home, folder, model)
    contents = [told(one)["result"]["content"] for one in results(log) if one.name == "read_file"]
    assert contents == ["hello world\n", "hello world\n", "new\n"]


@pytest.mark.requirement("A29")
async def test_an_agent_may_have_its_calls_run_one_after_the_other(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    from bottega.agents.agent import Agent

    reads = [call("read_file", file_path="notes.txt") for _ in range(4)]
    careful = Agent(slug="careful", prompt="One thing after the other.", at_once=1)
    async with Studio(home, agents=[careful]) as studio:
        session = await studio.start(model=scripted(reads, SAY), folder=folder, agent="careful")
        await session.prompt("go")
        log = await whole(session)
    kinds = [event.type for event in log if event.type in ("tool_intent", "tool_result")]
    assert kinds == ["tool_intent", "tool_result"] * 4


async def test_a_workspace_that_vanished_is_told_and_the_run_goes_on(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    move = call("bash_exec", command="true")
    model = scripted([move], SAY, [move, write("a", "1")], SAY)
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        await session.prompt("go")
        folder.rename(folder.with_name("elsewhere"))
        end = await session.prompt("again")
        log = await whole(session)
    assert end.success
    assert [one.is_error for one in results(log)] == [False, True, True]


async def test_what_a_rule_denies_is_neither_read_nor_found(
    home: Path, folder: Path, scripted: Scripted
) -> None:
    (folder / "secrets").mkdir()
    (folder / "secrets" / "key.txt").write_text("canary\n")
    (folder / "open.txt").write_text("canary too\n")
    (folder / "link").symlink_to("secrets/key.txt")
    home.mkdir()
    (home / "config.toml").write_text('[[rules]]\nverdict = "deny"\npath = "secrets/**"\n')
    calls = [
        call("read_file", file_path="secrets/key.txt"),
        call("read_file", file_path="link"),
        call("grep", pattern="canary", path="secrets/key.txt"),
        call("grep", pattern="canary"),
        call("grep", pattern="canary", path="secrets"),
        call("glob", pattern="**/*.txt"),
        call("glob", pattern="*.txt", path="secrets"),
        call("glob", pattern="**/*.TXT", path="."),
    ]
    log = await ran(home, folder, scripted(calls, SAY))
    said = [plain_text(one.content) for one in sorted(results(log), key=lambda r: r.tool_id)]
    assert [text.startswith('{"status":"error"') for text in said[:3]] == [True] * 3
    assert "canary too" in said[3]
    assert "open.txt" in said[5]
    assert not any("key.txt" in text for text in said[3:])
    assert not any("canary\\n" in text for text in said)


@pytest.mark.parametrize("where", ["project", "project/.data", "project/.data/bottega"])
async def test_a_folder_that_holds_bottegas_own_home_or_lies_in_it_is_not_worked_in(
    tmp_path: Path, scripted: Scripted, where: str
) -> None:
    home = tmp_path / "project" / ".data" / "bottega"
    home.mkdir(parents=True)
    with pytest.raises(Refused, match="its own files"):
        await ran(home, tmp_path / where, scripted(SAY))
