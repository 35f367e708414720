"""Calls to be judged, as short as a test wants to say them."""

from bottega.approvals.matching import Gate
from bottega.approvals.mode import Mode
from bottega.approvals.rule import Rule, Ruling
from bottega.approvals.subject import SandboxKind, Subject
from bottega.approvals.touch import Touch

WRITE = frozenset({"write"})
READ = frozenset({"read"})
EXECUTE = frozenset({"read", "write", "execute"})
NETWORK = frozenset({"network"})


def command(text: str, *, sandbox: SandboxKind = "bubblewrap", network: bool = False) -> Subject:
    touch = Touch(command=text, network=network)
    return Subject("bash_exec", EXECUTE, touch=touch, sandbox=sandbox)


def reading(*paths: str, tool: str = "read_file") -> Subject:
    return Subject(tool, READ, touch=Touch(reads=paths))


def writing(*paths: str, tool: str = "write_file") -> Subject:
    return Subject(tool, WRITE, touch=Touch(writes=paths))


def fetching(url: str) -> Subject:
    return Subject("web_fetch", NETWORK, touch=Touch(url=url, network=True))


def rule(verdict: Ruling, **about: str) -> Rule:
    return Rule(verdict=verdict, **about)  # pyright: ignore


def gate(*rules: Rule, mode: Mode = "ask", trusted: bool = True, masked: bool = True) -> Gate:
    return Gate(mode, rules, trusted=trusted, masked=masked)
