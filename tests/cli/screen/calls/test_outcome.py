"""How a call ended, told by the shape of its result."""

import msgspec
import pytest

from bottega.cli.screen.calls.outcome import outcome


def text(**said: object) -> str:
    return msgspec.json.encode(said).decode()


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (text(status="success", result=[1, 2, 3]), "3 entries"),
        (text(status="success", result={"entries": [1], "path": "x"}), "1 entry"),
        (text(status="success", result={"matches": [1, 2], "files": [1]}), "2 matches"),
        (text(status="success", result="a\nb\nc\n"), "3 lines"),
        (text(status="success", result={"content": "a\nb"}), "2 lines"),
        (text(status="success", result="short"), "short"),
        (text(status="success", result=""), "nothing"),
        (text(status="success", result=None), "done"),
        (text(status="success", result={"a": 1}), "done"),
        ("plain words\nof two lines", "2 lines"),
        ("{broken", "{broken"),
        ("", "nothing"),
    ],
)
def test_a_result_is_told_by_its_amount(found: str, told: str) -> None:
    assert outcome(found, is_error=False) == ("done", told, "")


def test_an_error_is_told_by_its_first_line() -> None:
    told = text(status="error", error={"message": "\nThere is no file.\nLook again.", "code": "X"})

    assert outcome(told, is_error=True).told == "There is no file."
    assert outcome("it broke\nbadly", is_error=True).told == "it broke"
    assert outcome('{"error":"odd"}', is_error=True).told == "odd"


def test_a_command_is_told_by_its_exit_code_and_keeps_what_it_printed() -> None:
    done = text(status="success", result={"exit_code": 0, "stdout": "fine\n", "stderr": ""})
    broken = text(status="success", result={"exit_code": 2, "stdout": "a\n", "stderr": "b\n"})

    assert outcome(done, is_error=False) == ("done", "exit 0", "fine")
    assert outcome(broken, is_error=False) == ("failed", "exit 2", "a\nb")


@pytest.mark.parametrize(
    ("code", "message", "told"),
    [
        ("EXECUTION_DENIED", "Denied by the person: not that file", "denied: not that file"),
        ("BLOCKED", "Tool blocked in plan mode: it would run a command.", "blocked in plan mode"),
        ("DENIED_BY_RULE", "rule: never", "denied by a rule: rule: never"),
    ],
)
def test_what_was_not_allowed_is_no_failure(code: str, message: str, told: str) -> None:
    found = text(status="error", error={"message": message, "code": code})

    assert outcome(found, is_error=True) == ("denied", told, "")


def test_a_result_of_changed_arguments_is_told_like_any_other() -> None:
    inner = {"exit_code": 0, "stdout": "x", "stderr": ""}
    found = text(status="success", result={"result": inner, "note": "…", "ran_with": {"a": 1}})

    assert outcome(found, is_error=False) == ("done", "exit 0", "x")
