"""Severity: medium (M2). A person is removed, and somebody else is added under the same name: what was shared
with the first is not shared with the second.
"""

from pathlib import Path

import pytest

from tests.cli.conftest import Call, bottega, env, home, work

__all__ = ["bottega", "env", "home", "work"]

ENTRIES = {
    "MCP server": (
        "config.toml",
        '[mcp.hub]\nurl = "https://hub.example/mcp"\npeople = ["Eva Lin"]\n',
    ),
    "agent": (
        "agents/office.toml",
        'remote = { address = "https://office.example", people = ["host", "Eva Lin"] }\n',
    ),
}


@pytest.mark.parametrize("kind", ENTRIES)
def test_a_name_that_an_entry_still_holds_is_given_to_nobody_new(
    bottega: Call, home: Path, kind: str
) -> None:
    assert bottega("people", "add", "Eva Lin").code == 0
    name, entry = ENTRIES[kind]
    (home / name).parent.mkdir(exist_ok=True)
    (home / name).write_text(entry)
    removed = bottega("people", "remove", "Eva Lin", "--yes")
    assert removed.code == 0
    assert kind in removed.err, "the owner is told that the entry is left"
    for spelled in ("Eva Lin", "  Eva   Lin "):
        refused = bottega("people", "add", spelled)
        assert refused.code != 0
        assert kind in refused.err
    assert "Eva" not in bottega("people", "list").out
    assert bottega("people", "add", "Eva").code == 0, "another name is nobody's"
    if kind == "agent":
        (home / name).write_text(f"oops =\n{entry}")
        refused = bottega("people", "add", "Eva Lin")
        assert refused.code != 0
        assert "office.toml" in refused.err, "nobody knows what it shares"
    (home / name).unlink()
    assert bottega("people", "add", "Eva Lin").code == 0
