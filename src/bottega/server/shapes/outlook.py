"""A folder before the first prompt: what lies there, where commands run, what an agent may do in each mode."""

import asyncio
from typing import Literal

from pydantic import BaseModel, Field

from bottega.approvals.matching import Gate
from bottega.approvals.mode import MODES, Mode
from bottega.approvals.subject import Subject
from bottega.approvals.touch import Touch
from bottega.approvals.verdict import judge
from bottega.projects.outlook import Outlook
from bottega.workspaces.sandbox.local import Local

Kind = Literal["bubblewrap", "landlock", "none"]
Deed = Literal["read", "write", "run", "network"]
Word = Literal["allow", "ask", "deny", "blocked"]

_PATIENCE = 3.0
"""Seconds that somebody waits for the sandbox to be tested; it goes on behind."""


class SandboxShape(BaseModel):
    kind: Kind
    runs: bool = Field(description="Whether commands are run here at all.")
    network: bool = Field(description="Whether a command may be given the network, when asked for.")
    trusted: bool | None = Field(
        description="Whether commands may run unasked in allow mode; null: it is being tested."
    )
    problem: str = Field(description="Why not, with what to do.")


class ModeShape(BaseModel):
    mode: Mode
    may: dict[Deed, Word] = Field(
        description="What becomes of a call that reads, writes, runs a command, or uses the network,"
        " as long as no rule says otherwise."
    )


class LanguageShape(BaseModel):
    name: str
    files: int


class RepositoryShape(BaseModel):
    branch: str = Field(description="Empty: none is checked out.")
    changed: int | None = Field(description="Uncommitted files; null: it is not known.")
    under_way: str = Field(description="merge, rebase or such, if one was begun and not ended.")
    note: str = Field(description="Why something is not known.")


class SuggestedShape(BaseModel):
    kind: Literal[
        "explain", "changes", "under_way", "failed", "tests", "readme", "review", "next", "begin"
    ]
    title: str = Field(description="A few words, for a button.")
    text: str = Field(description="The prompt.")
    about: str = Field(description="What it was made of.")


class OutlookShape(BaseModel):
    folder: str
    files: int = Field(description="Without those that git ignores.")
    whole: bool = Field(description="False: there are more than were counted.")
    languages: list[LanguageShape] = Field(description="The most used first.")
    manifests: list[str] = Field(description="Files that say what kind of project it is.")
    about: str = Field(description="The first paragraph of its readme.")
    repository: RepositoryShape | None = Field(description="Null: it is no git repository.")
    sandbox: SandboxShape
    mode: Mode = Field(description="The mode of new sessions.")
    modes: list[ModeShape]
    rules: int = Field(description="How many rules there are, which may say otherwise.")
    prompts: list[SuggestedShape] = Field(description="Three at most, made of what is there.")

    @classmethod
    def of(cls, seen: Outlook, sandbox: SandboxShape, mode: Mode, rules: int) -> "OutlookShape":
        repository = seen.repository and RepositoryShape.model_validate(
            seen.repository, from_attributes=True
        )
        return cls(
            folder=seen.folder,
            files=seen.files,
            whole=seen.whole,
            languages=[LanguageShape(name=name, files=files) for name, files in seen.languages],
            manifests=seen.manifests,
            about=seen.about,
            repository=repository,
            sandbox=sandbox,
            mode=mode,
            modes=[ModeShape(mode=each, may=may(each, sandbox)) for each in MODES],
            rules=rules,
            prompts=[
                SuggestedShape.model_validate(each, from_attributes=True) for each in seen.prompts
            ],
        )


def may(mode: Mode, sandbox: SandboxShape) -> dict[Deed, Word]:
    """What the gate says of a plain call of each kind, in this mode and without rules."""
    gate = Gate(mode, trusted=bool(sandbox.trusted))
    calls: dict[Deed, Subject] = {
        "read": Subject("read_file", frozenset({"read"}), touch=Touch(reads=("x",))),
        "write": Subject("write_file", frozenset({"write"}), touch=Touch(writes=("x",))),
        "run": Subject(
            "bash_exec", frozenset({"execute"}), touch=Touch(command="make"), sandbox=sandbox.kind
        ),
        "network": Subject(
            "web_fetch",
            frozenset({"network"}),
            touch=Touch(url="https://example.org/", network=True),
        ),
    }
    told: dict[Deed, Word] = {
        deed: judge(subject, gate).decision for deed, subject in calls.items()
    }
    if not sandbox.runs and told["run"] != "blocked":
        told["run"] = "deny"
    return told


async def sandbox_of(sandboxes: Local, folder: str) -> SandboxShape:
    """Where commands run. The first time it is tested whether it holds them, which takes a moment."""
    kind: Kind = await asyncio.to_thread(lambda: sandboxes.kind)
    testing = asyncio.ensure_future(sandboxes.trusted(folder))
    testing.add_done_callback(lambda done: done.cancelled() or done.exception())
    done, _ = await asyncio.wait((testing,), timeout=_PATIENCE)
    problem = testing.result() if done else ""
    return SandboxShape(
        kind=kind,
        runs=kind != "none" or sandboxes.runs_bare,
        network=kind == "bubblewrap",
        trusted=not problem if done else None,
        problem=problem,
    )
