"""The user's turn: context and urgent reminders before their words, the rest after; only what changed, later on."""

import pytest

from bottega.agents.prompt.reminder import Reminder
from bottega.agents.prompt.turn import Around, aside, known, since, told, whole
from bottega.events.facts import Aside, Instructions, Opening
from bottega.messages.aside import is_only_asides
from bottega.messages.block import Image, Text, ToolResult, plain_text
from bottega.messages.message import Message, user
from bottega.tools.project.glance import Glance

GLANCE = Glance("main", "abc123", ("src/", "a.txt"), ("src/", "  x.py", "a.txt"))
HERE = Around("/home/ann/shop", "2026-01-01", GLANCE, ("1 modified", ".M a.txt"))


@pytest.mark.requirement("T48")
def test_the_whole_context_names_folder_date_git_and_files() -> None:
    text, learnt = whole(HERE)
    assert text.splitlines() == [
        "<context>",
        "Folder: /home/ann/shop",
        "Date: 2026-01-01",
        "Git: branch main, commit abc123",
        "  1 modified",
        "  .M a.txt",
        "Files:",
        "  src/",
        "    x.py",
        "  a.txt",
        "</context>",
    ]
    assert since(HERE, learnt) == ("", {}), "what is known is not told again"


def test_a_folder_without_git_or_files_says_nothing_of_them() -> None:
    text, _ = whole(Around("/home/ann/shop", "2026-01-01"))
    assert text == "<context>\nFolder: /home/ann/shop\nDate: 2026-01-01\n</context>"


def test_later_only_what_changed_is_told() -> None:
    _, learnt = whole(HERE)
    other = Glance("fix", "def456", ("src/", "b.txt"), ("never told again",))
    text, learnt = since(Around("/home/ann/shop", "2026-01-02", other), learnt)
    assert text.splitlines() == [
        "<context>",
        "Git is now at: branch fix, commit def456",
        "New: b.txt",
        "Gone: a.txt",
        "</context>",
    ]
    assert since(Around("/home/ann/shop", "2026-01-02", other), learnt) == ("", {})


def test_a_folder_with_too_many_entries_is_not_compared() -> None:
    _, learnt = whole(HERE)
    text, _ = since(Around("/", "", Glance("main", "abc123", ())), learnt)
    assert text == ""


@pytest.mark.requirement("N14", "C18")
def test_urgent_reminders_stand_before_the_words_and_the_others_after() -> None:
    words = aside(
        ("<context>\n</context>", {"a": "1"}),
        [
            Reminder("instruction", "high", "First.", {"b": "2"}),
            Reminder("security", "medium", "Second.", {"c": "3"}),
            Reminder("context", "low", "Third."),
        ],
    )
    assert words is not None
    assert words.before.startswith("<context>")
    assert words.before.endswith('<reminder type="instruction">First.</reminder>')
    assert words.after.splitlines() == [
        '<reminder type="security">Second.</reminder>',
        '<reminder type="context">Third.</reminder>',
    ]
    assert words.told == {"a": "1", "b": "2", "c": "3"}
    assert aside(("", {}), ()) is None


@pytest.mark.requirement("C18")
def test_asides_stand_around_the_users_words_and_are_never_part_of_them() -> None:
    picture = Image("image/png", "aGk=")
    history = [user("first"), Message("assistant", (Text("yes"),)), user("look at this")]
    history[-1] = Message("user", (*history[-1].content, picture))
    told(history, Aside("before", "after"))
    assert len(history) == 3
    assert history[-1].content == (
        Text("before", aside=True),
        Text("look at this"),
        picture,
        Text("after", aside=True),
    )
    assert plain_text(history[-1].content) == "look at this"


def test_after_results_an_aside_is_a_message_of_its_own() -> None:
    history = [user("go"), Message("tool", (ToolResult("1", (Text("ok"),)),))]
    told(history, Aside("", "after"))
    assert history[-1] == Message("user", (Text("after", aside=True),))
    assert is_only_asides(history[-1])
    assert not is_only_asides(history[0])
    assert not is_only_asides(Message("user", ()))


def test_the_opening_says_what_the_system_prompt_told() -> None:
    opening = Opening(
        {"mode": "plan", "timestamp": "2026-01-01 10:00 +0100"}, (Instructions("AGENTS.md", "x"),)
    )
    learnt = known(opening)
    assert learnt["mode"] == "plan"
    assert learnt["date"] == "2026-01-01"
    assert learnt["instructions AGENTS.md"]
