"""Paths as clients write them: from the project, with slashes. Where they lead is the kernel's business, not theirs."""

from typing import Annotated

from fastapi import Query
from pydantic import AfterValidator, Field

LONGEST = 4_000


def _checked(path: str) -> str:
    if "\0" in path:
        raise ValueError("a path holds no NUL character")
    if not path.isascii() and path != path.encode("utf-8", "ignore").decode():
        raise ValueError("a path holds whole characters")
    if path.startswith("/"):
        raise ValueError("a path begins in the project, not with a slash")
    return path


RelativePath = Annotated[
    str,
    AfterValidator(_checked),
    Field(max_length=LONGEST, description="From the project, with slashes; empty: the project."),
]
NamedPath = Annotated[
    str,
    AfterValidator(_checked),
    Field(min_length=1, max_length=LONGEST, description="From the project, with slashes."),
]
Version = Annotated[
    str,
    Field(
        max_length=100,
        description="Of the file that this is about, as a read gave it; empty: there is none yet.",
    ),
]
PathQuery = Annotated[RelativePath, Query()]
NamedQuery = Annotated[NamedPath, Query()]
VersionQuery = Annotated[Version, Query()]
