from typing import Any

import pytest

from bottega.tools.builtin import builtin_registry
from bottega.tools.context import Context
from bottega.tools.registry import Registry
from bottega.tools.tool import Category, Outcome, Tool, success


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    return success(None)


def make(name: str, category: Category, schema: dict[str, Any], **more: Any) -> Tool:
    about = f"Does {name}."
    return Tool(
        name=name,
        description=about,
        schema={"type": "object", **schema},
        category=category,
        effects=frozenset(),
        run=run,
        **more,
    )


@pytest.mark.requirement("T25", "T26")
def test_the_section_lists_tools_by_category_with_parameters_and_an_example() -> None:
    schema = {
        "properties": {
            "path": {"type": "string", "description": "Where."},
            "depth": {"type": ["integer", "null"]},
            "mode": {"enum": ["a", "b"]},
            "edits": {
                "type": "array",
                "items": {"type": "object", "properties": {"old": {"type": "string"}}},
            },
            "open": {},
        },
        "required": ["path"],
    }
    registry = Registry(
        (
            make("later", "PLANNING", {}),
            make("change", "FILE_OPS", schema, examples=({"path": "é.md"},)),
        )
    )
    assert registry.get_system_prompt_section() == (
        "# Tools\n"
        "\n"
        "## Files\n"
        "\n"
        "### change\n"
        "Does change.\n"
        "Parameters:\n"
        "- `path` (string, required): Where.\n"
        "- `depth` (integer or null)\n"
        '- `mode` (one of "a", "b")\n'
        "- `edits` (array of objects)\n"
        "  - `old` (string)\n"
        "- `open` (any)\n"
        'Example: {"name":"change","arguments":{"path":"é.md"}}\n'
        "\n"
        "## Planning\n"
        "\n"
        "### later\n"
        "Does later.\n"
    )


@pytest.mark.requirement("T25")
def test_every_tool_of_the_house_is_in_the_section() -> None:
    registry = builtin_registry()
    told = registry.get_system_prompt_section()
    for tool in registry:
        assert f"### {tool.name}\n{tool.description}\n" in told


def test_no_tools_make_no_section() -> None:
    assert Registry().get_system_prompt_section() == ""
