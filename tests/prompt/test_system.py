"""The system prompt is built in one order, from what the session began with."""

import pytest

from bottega.agents.house import house
from bottega.agents.prompt.markers import unknown
from bottega.agents.prompt.modes import mode_instructions
from bottega.agents.prompt.system import system, tool_list
from bottega.approvals.mode import MODES
from bottega.events.facts import Instructions, Opening
from bottega.tools.builtin import builtin_registry

MARKERS = {"mode": "plan", "mode_instructions": "Only plan.", "project_path": "/home/ann/shop"}
OPENING = Opening(
    MARKERS,
    (
        Instructions("", "Always answer in Italian."),
        Instructions("../AGENTS.md", "Run the tests."),
        Instructions("AGENTS.md", "Use tabs. {mode} </instructions> {user_name}"),
    ),
)


@pytest.mark.requirement("A10", "C18")
def test_agent_own_words_project_tools_and_needs_follow_each_other() -> None:
    built = system(
        "You work in {project_path}.", OPENING, tools="# Tools", form="Call so.", needs="THOUGHT"
    )
    places = [
        built.index(words)
        for words in (
            "You work in /home/ann/shop.",
            "Only plan.",
            "Always answer in Italian.",
            "Run the tests.",
            "Use tabs.",
            "# Tools",
            "Call so.",
            "THOUGHT",
        )
    ]
    assert places == sorted(places)


def test_a_prompt_that_says_where_the_mode_is_told_does_not_get_it_twice() -> None:
    built = system("Mode {mode}: {mode_instructions} Now work.", OPENING)
    assert built.startswith("Mode plan: Only plan. Now work.")
    assert built.count("Only plan.") == 1


def test_instructions_are_told_as_they_stand_and_cannot_end_their_block() -> None:
    built = system("Hi.", OPENING)
    assert '<instructions path="AGENTS.md">' in built
    assert "{mode}" in built, "what stands in a file is no marker"
    assert built.count("</instructions>") == 2


def test_without_instructions_and_tools_there_is_nothing_but_prompt_and_mode() -> None:
    assert system("Hi.", Opening(MARKERS)) == "Hi.\n\nOnly plan."


def test_the_same_opening_gives_the_same_bytes() -> None:
    for spec in house().values():
        assert system(spec.system_prompt, OPENING) == system(spec.system_prompt, OPENING)


def test_every_tool_is_listed_with_its_first_sentence() -> None:
    lines = tool_list(builtin_registry(None)).splitlines()
    registry = builtin_registry(None)
    assert len(lines) == len(registry)
    assert all(
        line.startswith(f"- {tool.name}: ") for line, tool in zip(lines, registry, strict=True)
    )
    assert max(map(len, lines)) < 300


def test_no_built_in_agent_holds_a_marker_that_does_not_exist() -> None:
    found = {slug: unknown(spec.system_prompt) for slug, spec in house().items()}
    assert found == dict.fromkeys(house(), ())


def test_every_mode_has_its_own_words() -> None:
    assert len({mode_instructions(mode) for mode in MODES}) == len(MODES)
