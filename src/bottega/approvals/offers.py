"""What a person may be offered to allow for the rest of the session, beside this one call.

From wide to precise: the tool, then the like of this call, then this very call. The gate keeps those that would hold.
"""

import re
from collections.abc import Iterator, Sequence

from bottega.approvals import commands, paths, urls
from bottega.approvals.grant import Grant
from bottega.approvals.shell.runs import program
from bottega.approvals.subject import Place, Run, Site, Subject, Thing

_WITH_SUBCOMMANDS = frozenset(
    {
        *(
            "apt",
            "bundle",
            "cargo",
            "composer",
            "docker",
            "dotnet",
            "gh",
            "git",
            "go",
            "gradle",
            "helm",
        ),
        *("just", "kubectl", "make", "mvn", "npm", "nx", "pip", "pip3", "pnpm", "podman", "poetry"),
        *("rails", "rake", "terraform", "tox", "turbo", "uv", "yarn"),
    }
)
_LONGEST = 1_000
"""Characters of a pattern that somebody would read."""
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]*")


def candidates(subject: Subject, asked: Sequence[Thing]) -> Iterator[Grant]:
    """Grants that may answer for all that is asked about; a pattern is offered where it is about one thing only."""
    yield Grant(subject.tool, network=subject.asks_network)
    asked = [each for each in asked if not (isinstance(each, Run) and each.only_moves)]
    if len(asked) == 1:
        folder = _folder(asked[0], subject)
        for pattern in _patterns(asked[0]):
            if len(pattern) <= _LONGEST:
                yield Grant(subject.tool, pattern, subject.asks_network, folder)


def _folder(thing: Thing, subject: Subject) -> str:
    """Where a command runs; empty: in the workspace itself, or it is none."""
    if not isinstance(thing, Run):
        return ""
    here = subject.touch.moved if thing.reading.moves else subject.touch.folder
    return "" if here == "." else here


def _patterns(thing: Thing) -> Iterator[str]:
    if isinstance(thing, Run):
        words = [word.text for word in thing.part]
        if (
            len(words) > 1
            and program(words[0]) in _WITH_SUBCOMMANDS
            and _SUBCOMMAND.fullmatch(words[1])
        ):
            yield commands.pattern_of(words[:2], rest=True)
        if words:
            yield commands.pattern_of(words)
    elif isinstance(thing, Place):
        folder, _, _ = thing.path.rpartition("/")
        if folder:
            yield paths.exactly(folder) + "/**"
        yield paths.exactly(thing.path)
    elif isinstance(thing, Site) and (found := urls.address(thing.url)):
        yield found.site
