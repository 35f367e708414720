"""The commands that look after sessions."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call, Script, one_sentence, say


@pytest.fixture
def talked(bottega: Call, script: Script) -> str:
    """A session with two exchanges, one with a tool; its id."""
    look = [say("Let me look."), {"do": "call", "name": "list_dir", "input": {"path": "."}}]
    model = script(look, [say("There are **two** files.")], [say("Goodbye, dear friend.")])
    bottega("run", "-m", model, "list the files")
    session = listed(bottega)[0]["id"]
    bottega("run", "--session", session, "farewell")
    return session


def listed(bottega: Call) -> list[dict[str, Any]]:
    return json.loads(bottega("sessions", "--json").out)


@pytest.mark.requirement("A05")
def test_sessions_are_listed_for_people_and_for_programs(bottega: Call, talked: str) -> None:
    lines = bottega("sessions").out.splitlines()
    (row,) = listed(bottega)

    assert lines[0].split() == ["id", "when", "status", "model", "title"]
    assert lines[1].startswith(f"{talked[-8:]}  just now  idle")
    assert lines[1].endswith("list the files")
    assert (row["id"], row["status"], row["title"]) == (talked, "idle", "list the files")
    assert bottega("sessions", "--json").out.startswith('[\n  {\n    "id"')


def test_an_empty_home_says_how_to_begin(bottega: Call) -> None:
    assert bottega("sessions").out == "There are no sessions yet. `bottega chat` begins one.\n"
    assert listed(bottega) == []


def test_a_session_is_shown_as_it_looked(bottega: Call, talked: str) -> None:
    out = bottega("show", talked[-8:]).out

    assert "› list the files\n\nLet me look.\n\n● list .  ✓ 2 entries" in out
    assert "There are two files.\n" in out
    assert out.index("› farewell") < out.index("Goodbye, dear friend.")
    assert "\x1b" not in out


def test_events_go_on_after_a_cursor_and_are_the_same_for_people_and_programs(
    bottega: Call, talked: str
) -> None:
    everything = [json.loads(x) for x in bottega("events", talked, "--json").out.splitlines()]
    cursor = everything[-1]["index"] - 3

    rest = [
        json.loads(line)
        for line in bottega("events", talked, "--json", "--after", str(cursor)).out.splitlines()
    ]

    assert rest == [event for event in everything if event["index"] > cursor]
    lines = bottega("events", talked).out.splitlines()
    assert len(lines) == len(everything)
    assert lines[0].split()[:2] == ["1", "prompt_queued"]


@pytest.mark.parametrize(
    ("form", "holds"),
    [
        ("md", "There are **two** files."),
        ("html", "There are <strong>two</strong> files."),
        ("chat", '"role":"assistant","content":"There are **two** files."'),
        ("jsonl", '"tool_intent"'),
    ],
)
def test_a_session_is_exported_in_every_format(
    bottega: Call, talked: str, work: Path, form: str, holds: str
) -> None:
    to_stdout = bottega("export", talked, "--format", form).out
    bottega("export", talked, "--format", form, "-o", "out.file")

    assert holds in to_stdout
    assert holds in (work / "out.file").read_text("utf-8")
    again = bottega("export", talked, "-o", "out.file")
    assert "is there already" in one_sentence(again)


def test_the_format_is_told_by_the_files_name(bottega: Call, talked: str, work: Path) -> None:
    bottega("export", talked, "-o", "talk.html")

    assert (work / "talk.html").read_text("utf-8").lower().startswith("<!doctype html>")


def test_an_export_into_a_folder_that_is_not_there_is_told(bottega: Call, talked: str) -> None:
    done = bottega("export", talked, "-o", "no/such/folder/x.md")

    assert "could not be written: No such file or directory" in one_sentence(done)


def test_what_was_exported_can_be_imported_and_reads_the_same(
    bottega: Call, talked: str, work: Path
) -> None:
    bottega("export", talked, "-o", "talk.jsonl")

    done = bottega("import", "talk.jsonl")

    assert done.code == 0
    copy = next(row["id"] for row in listed(bottega) if row["id"] != talked)
    assert done.out == f"Session {copy[-8:]}: list the files\n"
    shown = [bottega("show", each).out.split("\n", 3)[3] for each in (talked, copy)]
    assert shown[0] == shown[1]


def test_a_file_that_is_no_export_is_refused_and_nothing_is_stored(
    bottega: Call, work: Path
) -> None:
    (work / "bad.jsonl").write_text("hello\n")

    assert one_sentence(bottega("import", "bad.jsonl"))
    assert "No such file" in one_sentence(bottega("import", "missing.jsonl"))
    assert listed(bottega) == []


def test_words_are_found_where_they_were_said(bottega: Call, talked: str) -> None:
    found = bottega("search", "dear", "friend").out

    assert found.startswith(f"{talked[-8:]}  list the files  just now\n")
    assert "  Goodbye, dear friend." in found
    (hit,) = json.loads(bottega("search", "--json", "friend").out)
    assert (hit["session_id"], hit["snippet"]) == (talked, "Goodbye, dear «friend».")
    assert bottega("search", "unheard-of").out == "Nothing holds all of the words 'unheard-of'.\n"


def test_a_session_gets_another_title(bottega: Call, talked: str) -> None:
    bottega("rename", talked, "two", "files")

    assert listed(bottega)[0]["title"] == "two files"


def test_deleting_asks_first_and_then_nothing_is_left(bottega: Call, talked: str) -> None:
    refused = bottega("delete", talked)
    assert "--yes" in one_sentence(refused)
    assert len(listed(bottega)) == 1

    assert bottega("delete", talked, "--yes").code == 0

    assert listed(bottega) == []
    assert "There is no session" in one_sentence(bottega("show", talked))
    assert bottega("search", "friend").out.startswith("Nothing holds")
