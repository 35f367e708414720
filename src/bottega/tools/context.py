"""What a running tool may touch of the world: its folder, its own call, and a voice."""

from typing import Protocol

from bottega.workspaces.confine import Root


class Context(Protocol):
    @property
    def root(self) -> Root:
        """The folder that the tool works in; there is no other."""
        ...

    @property
    def call_id(self) -> str: ...

    def emit_output(self, text: str) -> None:
        """Show a piece of output while the tool still runs; the result must not rely on it."""
        ...
