"""What a terminal shows of tool calls while they wait, run and end."""

from typing import Any

import msgspec

from bottega.events import facts
from bottega.messages.block import Text, ToolUse
from bottega.messages.message import Usage
from tests.cli.screen.emulated import Shown, exchange

END = facts.ExchangeResponse(True, "no_more_actions", "end_turn", 1, "x", Usage(1, 1), 0, 3400)
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 2\n y = 1\n"
WRITES = (facts.FileChange("a.py", "old", "new"),)


def calls(shown: Shown, **named: dict[str, Any]) -> None:
    uses = tuple(ToolUse(name, name, given) for name, given in named.items())
    shown.take(facts.AssistantMessage(uses, "tool_use"))


def result(name: str, value: Any, **more: Any) -> facts.ToolResultFact:
    said = msgspec.json.encode({"status": "success", "result": value}).decode()
    return facts.ToolResultFact(name, name, (Text(said),), **more)


def asked(name: str, **detail: Any) -> facts.ApprovalRequired:
    return facts.ApprovalRequired("ask-1", "tool", name, name, "h", detail=detail)


def test_a_call_waits_for_the_person_then_runs_then_is_done() -> None:
    with exchange() as shown:
        calls(shown, bash_exec={"command": "make"})
        shown.take(asked("bash_exec", command="make"))
        shown.passes(1)
        assert "? $ make  waits for you" in shown.text
        shown.take(facts.ApprovalResolved("ask-1", "allow_once", tool_id="bash_exec"))
        shown.take(facts.ToolIntent("bash_exec", "bash_exec", "h"))
        shown.passes(3)
        assert "$ make  3.0 s" in shown.text
        shown.take(result("bash_exec", {"exit_code": 0, "stdout": "ok\n"}, duration_ms=3200))
        shown.passes(1)

    assert shown.text == "● $ make  ✓ exit 0 · 3.0 s\n  │ ok"


def test_output_streams_under_a_command_and_leaves_a_short_tail() -> None:
    with exchange(lines=30) as shown:
        calls(shown, bash_exec={"command": "npm test"})
        shown.take(facts.ToolIntent("bash_exec", "bash_exec", "h"))
        for number in range(40):
            shown.take(facts.ToolOutputDelta("bash_exec", f"\x1b[31mtest {number}\n"))
        shown.passes(1)
        running = shown.text
        shown.take(result("bash_exec", {"exit_code": 1, "stdout": "…"}, duration_ms=10))
        shown.passes(1)

    assert "  │ … 35 lines above\n  │ test 35\n" in running
    assert "  │ test 39\n" in running
    assert shown.text.startswith(
        "● $ npm test  ✗ exit 1 · 10 ms\n  │ … 32 lines above\n  │ test 32\n"
    )


def test_an_edit_that_nobody_saw_shows_its_diff() -> None:
    with exchange(look=lambda _: DIFF) as shown:
        calls(shown, patch_file={"file_path": "a.py"})
        shown.take(facts.ToolIntent("patch_file", "patch_file", "h", writes=WRITES))
        shown.take(result("patch_file", {"changes": "…"}, duration_ms=3), END)

    assert shown.text.startswith(
        "● edit a.py +1 −1  ✓ 3 ms\n"
        "  │ a.py  +1 −1\n"
        "  │ 1 − x = 1\n"
        "  │ 1 + x = 2\n"
        "  │ 2   y = 1\n\n"
        "1 file changed · bottega changes\n"
    )


def test_an_edit_that_was_just_approved_does_not_show_its_diff_again() -> None:
    with exchange(look=lambda _: DIFF) as shown:
        calls(shown, patch_file={"file_path": "a.py"})
        shown.take(asked("patch_file", diff=DIFF))
        shown.take(facts.ApprovalResolved("ask-1", "allow_once", tool_id="patch_file"))
        shown.take(facts.ToolIntent("patch_file", "patch_file", "h", writes=WRITES))
        shown.now += 0.003
        shown.take(result("patch_file", {}, duration_ms=60_000))

    assert shown.text == "● edit a.py +1 −1  ✓ 3 ms"


def test_a_failed_edit_changed_nothing_and_says_why() -> None:
    said = Text('{"status":"error","error":{"message":"The file changed since.","code":"STALE"}}')
    with exchange(look=lambda _: DIFF) as shown:
        calls(shown, patch_file={"file_path": "a.py"})
        shown.take(facts.ToolIntent("patch_file", "patch_file", "h", writes=WRITES))
        shown.take(facts.ToolResultFact("patch_file", "patch_file", (said,), is_error=True), END)

    assert shown.text.startswith("● edit a.py  ✗ The file changed since.\n\n")
    assert "file changed · bottega" not in shown.text


def test_files_that_commands_changed_are_named_and_counted_once() -> None:
    writes = (facts.FileChange("a.py", "1", "2"), facts.FileChange("b.py", "", "3"))
    with exchange() as shown:
        calls(shown, bash_exec={"command": "make"}, shell_exec={"command": "touch a.py"})
        shown.take(result("bash_exec", {"exit_code": 0}, writes=writes))
        shown.take(result("shell_exec", {"exit_code": 0}, writes=writes[:1]), END)

    assert "● $ make  ✓ exit 0\n  changed a.py, b.py\n" in shown.text
    assert "2 files changed · bottega changes" in shown.text


def test_what_was_denied_or_blocked_says_so() -> None:
    def refused(name: str, code: str, message: str) -> facts.ToolResultFact:
        said = msgspec.json.encode({"error": {"message": message, "code": code}}).decode()
        return facts.ToolResultFact(name, name, (Text(said),), is_error=True)

    with exchange() as shown:
        calls(shown, bash_exec={"command": "rm -rf /"}, web_fetch={"url": "https://a.example"})
        shown.take(refused("bash_exec", "EXECUTION_DENIED", "Denied by the person: no way"))
        shown.take(refused("web_fetch", "BLOCKED", "Tool blocked in plan mode: x"))

    assert shown.text == (
        "● $ rm -rf /  ⊘ denied: no way\n● fetch https://a.example  ⊘ blocked in plan mode"
    )


def test_the_to_do_list_is_drawn_when_it_changes() -> None:
    todos = (
        facts.TodoItem("look", "completed"),
        facts.TodoItem("mend\x1b[2J", "in_progress", "high"),
        facts.TodoItem("test"),
    )
    with exchange() as shown:
        shown.take(facts.TodosChanged(todos))

    assert shown.text == "  ✓ look\n  ▸ mend !\n  ○ test"


def test_a_paused_screen_draws_nothing_and_everything_afterwards() -> None:
    with exchange() as shown:
        shown.take(facts.TextDelta("Before.\n\n"))
        shown.passes(1)
        shown.live.pause()
        before = shown.paper.getvalue()
        shown.take(facts.TextDelta("Meanwhile."))
        shown.passes(1)
        assert shown.paper.getvalue() == before
        shown.live.resume()
        shown.passes(1)

    assert shown.text == "Before.\n\nMeanwhile."


def test_a_question_stays_above_what_goes_on_and_its_keys_at_the_end() -> None:
    with exchange() as shown:
        calls(shown, bash_exec={"command": "make"}, read_file={"file_path": "a"})
        shown.take(asked("bash_exec"))
        shown.live.put("ask", ["? Run this?", "│ make"])
        shown.live.ask(lambda _: [[("  y allow once  n deny", "")]])
        shown.take(result("read_file", "text", duration_ms=2))
        shown.passes(1)
        assert shown.text == (
            "? Run this?\n│ make\n\n● read a  ✓ text · 2 ms\n? $ make  waits for you\n\n"
            "  y allow once  n deny"
        )
        shown.live.ask(None)
        shown.passes(1)
        assert "allow once" not in shown.text
