"""The tools there are, by name (A30). An agent that may use only some gets a `scoped` copy."""

from collections.abc import Iterable, Iterator

from bottega.errors import BadUsage, Conflict, NotFound
from bottega.providers.provider import ToolSpec
from bottega.tools.tool import Category, Tool


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

    def scoped(self, names: Iterable[str]) -> "Registry":
        """A registry of these tools only; raises `NotFound` for a name that is not here."""
        return Registry(self.get(name) for name in dict.fromkeys(names))

    def specs(self) -> tuple[ToolSpec, ...]:
        """All of them as a model sees them (A21)."""
        if self._specs is None:
            self._specs = tuple(tool.spec() for tool in self)
        return self._specs
