"""The tools there are, by name (A30). An agent that may use only some gets a `scoped` copy."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from bottega.errors import BadUsage, Conflict, NotFound
from bottega.messages.block import ToolUse
from bottega.providers.provider import ToolSpec
from bottega.tools.call import Make, call
from bottega.tools.context import Context
from bottega.tools.section import section
from bottega.tools.tool import Arguments, Category, Outcome, Tool


class Registry:
    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._tools: dict[str, Tool] = {}
        self._specs: tuple[ToolSpec, ...] | None = None
        for tool in tools:
            self.register(tool)

    def __len__(self) -> int:
        return len(self._tools)

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._tools)

    def register(self, tool: Tool) -> None:
        """Add a tool; refuses a second one of the same name, and a schema that is no object's."""
        if tool.name in self._tools:
            raise Conflict(f"There is already a tool called {tool.name!r}.")
        if tool.schema.get("type") != "object":
            raise BadUsage(
                f"The schema of the tool {tool.name!r} describes no object.",
                hint='It must have "type": "object" at its top.',
            )
        self._tools[tool.name] = tool
        self._specs = None

    def replace(self, tool: Tool) -> None:
        """Put a tool in the place of the one of the same name."""
        self.get(tool.name)
        self._tools[tool.name] = tool
        self._specs = None

    def remove(self, name: str) -> None:
        self._tools.pop(name, None)
        self._specs = None

    def find(self, name: str) -> Tool | None:
        return self._tools.get(name)

    def get(self, name: str) -> Tool:
        """The tool of that name; raises `NotFound` with the names there are."""
        tool = self._tools.get(name)
        if tool is None:
            raise NotFound(
                f"There is no tool called {name!r}.",
                hint=f"Available: {', '.join(self._tools) or 'none'}.",
            )
        return tool

    def list(self, category: Category | None = None) -> "list[Tool]":
        """The tools in the order in which they were registered, of one category or all."""
        return [tool for tool in self if category is None or tool.category == category]

    def scoped(
        self,
        names: Iterable[str] | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> "Registry":
        """A registry of these tools only, or of all, some with settings of their own.

        Raises `NotFound` for a name that is not here; settings of a tool that is left out are refused too.
        """
        chosen = (
            self if names is None else Registry(self.get(name) for name in dict.fromkeys(names))
        )
        own = settings or {}
        for name in own:
            chosen.get(name)
        return Registry(
            msgspec.structs.replace(tool, settings=dict(own[tool.name]))
            if tool.name in own
            else tool
            for tool in chosen
        )

    async def execute(
        self, name: str, arguments: Arguments, context: Context, make: Make | None = None
    ) -> Outcome:
        """One call from a program instead of a model, in every way as the model's (T25)."""

        async def intend(_: Tool) -> None:
            """Nothing is written down: there is no log here."""

        use = ToolUse(context.call_id, name, arguments)
        return await call(use, self, context, intend, make=make)

    def get_system_prompt_section(self) -> str:
        """All of them as text, for a model that takes no tools of its own accord (T25)."""
        return section(self)

    def specs(self) -> tuple[ToolSpec, ...]:
        """All of them as a model sees them (A21)."""
        if self._specs is None:
            self._specs = tuple(tool.spec() for tool in self)
        return self._specs
