"""The settings that bound what one person may use of a server that several share."""

from typing import Annotated

import msgspec
from msgspec import Meta


class PersonLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of `settings.Values`."""

    person_waiting: Annotated[
        int, Meta(ge=1, description="Prompts that may wait on a server, of one person.")
    ] = 500
    person_sessions: Annotated[
        int, Meta(ge=1, description="Sessions that one person may have on a server.")
    ] = 20_000
    person_storage_mb: Annotated[
        int, Meta(ge=1, description="Megabytes of logs, outputs and media kept for one person.")
    ] = 4096
    session_output_mb: Annotated[
        int, Meta(ge=1, description="Megabytes of outputs kept for one session.")
    ] = 512
    person_sandboxes: Annotated[
        int, Meta(ge=1, description="Sandboxes of one person: runs, shells, MCP servers.")
    ] = 64
    person_memory_mb: Annotated[
        int,
        Meta(ge=0, description="Megabytes for all commands of one person; 0: a part of all."),
    ] = 0
    person_processes: Annotated[
        int, Meta(ge=1, description="Processes of all commands of one person, counted alike.")
    ] = 2048
    disk_reserve_mb: Annotated[
        int, Meta(ge=0, description="Megabytes of the home's disk that are left free.")
    ] = 512
