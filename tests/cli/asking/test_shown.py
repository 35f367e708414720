"""What is put before a person, for every kind of call."""

from typing import Any

import pytest
from rich.cells import cell_len

from bottega.cli.asking.keys import pressed
from bottega.cli.asking.shown import shown, summary
from bottega.cli.screen.clean import visible
from bottega.cli.screen.tools import plain
from bottega.events import facts
from bottega.sessions.asks import Ask


def ask(tool: str, given: dict[str, Any], **detail: Any) -> Ask:
    asked = facts.ApprovalRequired("ask-1", "tool", "t", tool, "hash", detail=detail)
    return Ask("ask-1", 1, "m", 0, asked, given)


def lines(what: Ask, width: int = 60) -> list[str]:
    found = shown(what, width, "/home/me")
    return [plain(row) for row in (found.title, *found.body, *found.notes)]


def test_a_tool_of_a_server_is_named_with_it_and_shown_by_its_arguments() -> None:
    found = lines(ask("mcp__time__convert", {"zone": "UTC"}, reason="not its own"))

    assert found == [
        "? Use convert of the MCP server time?",
        "│ {",
        '│   "zone": "UTC"',
        "│ }",
        "  why      not its own",
    ]


def test_a_page_is_shown_by_its_address_and_what_is_asked_of_it() -> None:
    given = {"url": "https://a.example/x", "prompt": "sum up"}

    assert lines(ask("web_fetch", given, url=given["url"]))[:3] == [
        "? Fetch this page?",
        "│ https://a.example/x",
        '  with     prompt="sum up"',
    ]


def test_every_argument_is_shown_whatever_it_is_called() -> None:
    """Severity: high. Of a tool that is not known here, none stands for the others."""
    odd = {
        "command": "echo",
        "network": True,
        "description": "harmless",
        "args": [{"a": 1, "b": 2}],
    }
    found = "\n".join(lines(ask("mcp__box__run", odd)))
    for told in ('"command": "echo"', '"network": true', '"description": "harmless"', '"b": 2'):
        assert told in found
    own = "\n".join(lines(ask("bash_exec", odd, command="echo"), 200))
    assert 'network=true description="harmless" args=[{"a":1,"b":2}]' in own
    other = "\n".join(lines(ask("bash_exec", odd, command="rm x", network=True), 200))
    assert 'with     command="echo" description' in other


def test_the_sessions_own_folder_is_not_named_and_another_one_is() -> None:
    command = {"command": "ls"}

    assert "  in       /tmp" in lines(ask("bash_exec", command, command="ls", folder="/tmp"))
    own = lines(ask("bash_exec", command, command="ls", folder="/home/me"))
    assert not [line for line in own if "/home/me" in line]


def test_a_line_that_goes_on_in_the_next_row_is_told_from_a_new_one() -> None:
    found = lines(ask("bash_exec", {"command": "x"}, command="a" * 70 + "\nb"))

    assert found[1:4] == ["│ " + "a" * 57, "┆ " + "a" * 13, "│ b"]


def test_no_row_is_wider_than_the_screen() -> None:
    what = ask("bash_exec", {"command": "x"}, command="目录" * 90, reason="because " * 40)

    assert max(cell_len(line) for line in lines(what, 50)) <= 50


def test_a_command_longer_than_anybody_reads_is_cut_until_it_is_looked_at() -> None:
    found = shown(ask("bash_exec", {"command": "x"}, command="x" * 1_000_000), 80)

    assert found.is_cut
    assert plain(found.body[-1]) == "│ … 12,788 more lines (1.0 MB in all); d shows all of it"
    assert len(found.whole(80)) == 200 + 12_788


def test_an_ask_is_summed_up_on_one_line_for_lists() -> None:
    assert summary(ask("bash_exec", {"command": "make\nrm x"})) == "$ make … 1 more line"
    asked = facts.ApprovalRequired("a", "question", question="Which\none?")
    assert summary(Ask("a", 1, "m", 0, asked, {})) == "Which one?"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("plain text, ünïcode and 目录", "plain text, ünïcode and 目录"),
        ("a\tb\n  c", "a   b\n  c"),
        ("x\x1b[2J\u202ey", "x⟨U+001B⟩[2J⟨U+202E⟩y"),
        ("safe" + " " * 90 + "rm", "safe ⟨90 spaces⟩ rm"),
        ("⟨U+0041⟩", "⟨U+27E8⟩U+0041⟨U+27E9⟩"),
        ("a\u00a0b\u3164c", "a⟨U+00A0⟩b⟨U+3164⟩c"),
        ("a\U000e0100\U000e01efb", "a⟨U+E0100⟩⟨U+E01EF⟩b"),
        ("a\ufe00b\ufe0f", "a⟨U+FE00⟩b⟨U+FE0F⟩"),
        ("a\u180b\u180fb\u2065\ufff0\U000e0080", "a⟨U+180B⟩⟨U+180F⟩b⟨U+2065⟩⟨U+FFF0⟩⟨U+E0080⟩"),
        ("❤\ufe0f 1\ufe0f\u20e3", "❤\ufe0f 1\ufe0f\u20e3"),
        ("❤\ufe0f\ufe0f 1\ufe0f2", "❤\ufe0f⟨U+FE0F⟩ 1⟨U+FE0F⟩2"),
    ],
)
def test_what_cannot_be_seen_is_named(text: str, said: str) -> None:
    assert visible(text) == said


@pytest.mark.parametrize(
    ("sent", "keys"),
    [
        ("y", ["y"]),
        ("yes\r", ["y", "e", "s", "enter"]),
        ("\x1b[A\x1bOB", ["up", "down"]),
        ("\x1b", ["escape"]),
        ("\x1b[1;5C", [""]),
        ("\x1bd", [""]),
        ("é目", ["é", "目"]),
        ("\x07", [""]),
    ],
)
def test_what_a_terminal_sends_is_read_as_keys(sent: str, keys: list[str]) -> None:
    assert pressed(sent) == keys
