"""Files of a project, as they are read and changed."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bottega.projects.files.changing import Made
from bottega.projects.files.compare import Compared
from bottega.projects.files.finding import Found
from bottega.projects.files.limits import WHOLE
from bottega.projects.files.tree import Item, Tree
from bottega.server.shapes.place import NamedPath, Version

Kind = Literal["file", "folder", "link", "pipe", "socket", "device"]


class ItemShape(BaseModel):
    name: str
    path: str = Field(description="From the project; empty: its name is no text.")
    kind: Kind
    size: int = Field(description="Bytes of a file; 0 of anything else.")
    ignored: bool = Field(description="Whether git ignores it.")
    target: str = Field(description="Where a link points, as it is written there.")
    entries: "list[ItemShape] | None" = Field(description="Of a folder that was looked into.")
    total: int = Field(description="How many entries such a folder has.")

    @classmethod
    def of(cls, item: Item) -> "ItemShape":
        return cls(
            name=item.name,
            path=item.path,
            kind=item.kind,
            size=item.size,
            ignored=item.ignored,
            target=item.target,
            entries=None if item.entries is None else [cls.of(each) for each in item.entries],
            total=item.total,
        )


class TreeShape(BaseModel):
    path: str
    entries: list[ItemShape] = Field(description="Folders first, then by name.")
    total: int = Field(description="How many entries the folder has.")
    whole: bool = Field(description="False: the folder has even more, which cannot be listed.")
    next: int | None = Field(description="Give this as `start` for the next page; null: the end.")

    @classmethod
    def of(cls, tree: Tree) -> "TreeShape":
        entries = [ItemShape.of(item) for item in tree.entries]
        return cls(
            path=tree.path, entries=entries, total=tree.total, whole=tree.whole, next=tree.next
        )


class FoundFile(BaseModel):
    path: str = Field(description="From the project.")
    kind: Literal["file", "folder"]


class FoundFiles(BaseModel):
    found: list[FoundFile] = Field(description="The likeliest first.")
    whole: bool = Field(description="False: the project has more files than can be found.")

    @classmethod
    def of(cls, found: Found) -> "FoundFiles":
        return cls(
            found=[
                FoundFile(path=path.rstrip("/"), kind="folder" if path.endswith("/") else "file")
                for path in found.paths
            ],
            whole=found.whole,
        )


class FileShape(BaseModel):
    path: str
    content: str = Field(description="The text, with its own line ends; empty of a binary file.")
    version: str = Field(description="To be given back with a change.")
    size: int = Field(description="Bytes of the whole file.")
    modified_at: int = Field(description="Milliseconds UTC.")
    offset: int = Field(description="The byte at which this content begins.")
    next: int = Field(description="The byte at which the next piece begins; `size`: the end.")
    binary: bool
    encoding: str = Field(description="utf-8, utf-16-le or utf-16-be, `, marked` with its mark.")
    lines: int | None = Field(description="Of the whole file; null: it was not read whole.")
    ends: Literal["", "lf", "crlf", "mixed"] = Field(description="How its lines end.")


class NewContent(BaseModel):
    model_config = ConfigDict(extra="forbid")

    content: str = Field(max_length=WHOLE, description="The whole text; encoded as the file was.")
    version: Version


class MadeShape(BaseModel):
    """A file as it was left."""

    path: str
    version: str
    size: int
    created: bool

    @classmethod
    def of(cls, made: Made) -> "MadeShape":
        return cls(path=made.path, version=made.version, size=made.size, created=made.created)


class PathShape(BaseModel):
    path: str


class NewFolder(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: NamedPath


class Move(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: NamedPath
    to: NamedPath
    version: Version = Field("", description="Of a file; anything else has none.")


class Compare(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: NamedPath
    content: str = Field(max_length=WHOLE)


class ComparedShape(BaseModel):
    path: str
    version: str = Field(description="Of what is there; empty: nothing is.")
    added: int = Field(description="Lines.")
    removed: int
    text: str = Field(description="The difference, in the form that `git apply` takes.")
    cut: bool = Field(description="There is more than is shown.")

    @classmethod
    def of(cls, compared: Compared) -> "ComparedShape":
        return cls(
            path=compared.path,
            version=compared.version,
            added=compared.added,
            removed=compared.removed,
            text=compared.text,
            cut=compared.cut,
        )
