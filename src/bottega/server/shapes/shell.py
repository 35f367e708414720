"""A terminal, as it is opened, listed and read."""

from pydantic import BaseModel, ConfigDict, Field

from bottega.server.shapes.place import RelativePath
from bottega.server.shells.shell import ServedShell
from bottega.workspaces.shells.printed import Printed


class NewShell(BaseModel):
    model_config = ConfigDict(extra="forbid")

    container: RelativePath = ""
    columns: int = Field(80, ge=1, le=1000)
    rows: int = Field(24, ge=1, le=1000)
    network: bool = Field(False, description="Whether what runs in it may reach the network.")


class NewSize(BaseModel):
    model_config = ConfigDict(extra="forbid")

    columns: int = Field(ge=1, le=1000)
    rows: int = Field(ge=1, le=1000)


class ShellShape(BaseModel):
    id: str
    container: str = Field(description="The folder it was opened in; empty: the project's.")
    session_id: str = Field(description="Whose agent has it; empty: it is your own.")
    command: str = Field(description="What an agent's runs; empty of your own.")
    network: bool
    size: int = Field(description="Bytes that it has printed so far.")
    ended: bool
    exit_code: int | None

    @classmethod
    def of(cls, shell: ServedShell) -> "ShellShape":
        return cls(
            id=shell.id,
            container=shell.folder,
            session_id=shell.session_id,
            command=shell.terminal.command if shell.session_id else "",
            network=shell.terminal.network,
            size=shell.terminal.size,
            ended=shell.terminal.ended,
            exit_code=shell.terminal.exit_code,
        )


class ShellList(BaseModel):
    shells: list[ShellShape]


class PrintedShape(ShellShape):
    offset: int = Field(description="The byte at which the text begins: what is before it is gone.")
    next: int = Field(description="Go on with this as `offset`.")
    text: str

    @classmethod
    def with_text(cls, shell: ServedShell, printed: Printed) -> "PrintedShape":
        return cls(
            **ShellShape.of(shell).model_dump(),
            offset=printed.offset,
            next=printed.next,
            text=printed.text,
        )
