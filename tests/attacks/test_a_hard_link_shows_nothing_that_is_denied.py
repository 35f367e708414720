"""Severity: low (L3). A hard link beside a folder that a rule denies shows what is in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bottega.studio import Studio

Scripted = Callable[..., str]
SECRET = "the-word-that-nobody-sees"


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"do": "call", "name": name, "input": arguments}


CALLS = {
    "read": call("read_file", file_path="hard"),
    "read below": call("read_file", file_path="deep/er/hard"),
    "grep": call("grep", pattern="nobody"),
    "grep the file": call("grep", pattern="nobody", path="hard"),
    "count": call("grep", pattern="nobody", output_mode="count"),
    "files": call("grep", pattern="nobody", output_mode="files"),
    "patch": call("patch_file", file_path="hard", old_string="the-word", new_string="x"),
    "edit": call("multi_edit", file_path="hard", edits=[{"old_string": "the", "new_string": "x"}]),
    "write": call("write_file", file_path="hard", content="x"),
}


@pytest.mark.parametrize("pattern", ["secrets/**", "*.pem", "secrets/key.pem"])
async def test_every_tool_takes_a_second_name_for_the_file_that_it_is(
    pattern: str, home: Path, folder: Path, scripted: Scripted
) -> None:
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text(f'[[rules]]\nverdict = "deny"\npath = "{pattern}"\n')
    (folder / "secrets").mkdir()
    (folder / "deep/er").mkdir(parents=True)
    secret = folder / "secrets/key.pem"
    secret.write_text(f"{SECRET}\n")
    (folder / "hard").hardlink_to(secret)
    (folder / "deep/er/hard").hardlink_to(secret)
    (folder / "plain").write_text("two names, nothing to hide\n")
    (folder / "twin").hardlink_to(folder / "plain")
    model = scripted(
        list(CALLS.values()),
        [call("read_file", file_path="twin"), call("grep", pattern="two names")],
        [{"do": "say", "text": "Done."}],
    )
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        events = [event async for event in session.prompt("go")]
    results = [event.data for event in events if event.type == "tool_result"]
    results.sort(key=lambda each: [int(part) for part in each.tool_id.split("_")[1:]])
    texts = [msgspec.json.encode(each).decode() for each in results]
    hidden, shown = texts[: len(CALLS)], texts[len(CALLS) :]
    assert [text for text in hidden if SECRET in text or '"hard\\"' in text] == []
    assert secret.read_text() == f"{SECRET}\n"
    refused = dict(zip(CALLS, hidden, strict=True))
    assert all("rule: deny path" in refused[name] for name in ("read", "read below", "write"))
    assert '\\"matches\\":0' in refused["grep"]
    assert '\\"matches\\":0' in refused["count"]
    assert all("nothing to hide" in text for text in shown)


def named(folder: Path, name: str, how: str) -> None:
    """A file of that name that holds the secret, and that a rule denies, by this name or by another."""
    secret = folder / "secrets/key.pem"
    if how == "by its name":
        (folder / name).write_text(TOLD[name])
    elif how == "as a hard link":
        secret.write_text(TOLD[name])
        (folder / name).hardlink_to(secret)
    else:
        secret.write_text(TOLD[name])
        (folder / name).symlink_to("secrets/key.pem")


TOLD = {
    **dict.fromkeys(("AGENTS.md", "CLAUDE.md", "README.md", "CONTRIBUTING.md"), SECRET),
    "package.json": f'{{"scripts": {{"x": "{SECRET}"}}}}',
    "pyproject.toml": f'[project.scripts]\nx = "{SECRET}"\n',
    "Makefile": f"{SECRET}:\n\ttrue\n",
    "justfile": f"{SECRET}:\n  true\n",
}


@pytest.mark.parametrize("how", ["by its name", "as a hard link", "as a link"])
async def test_what_a_model_is_told_unasked_holds_nothing_that_is_denied(
    how: str, home: Path, folder: Path, scripted: Scripted
) -> None:
    home.mkdir(mode=0o700)
    denied = list(TOLD) if how == "by its name" else ["secrets/**"]
    rules = [f'[[rules]]\nverdict = "deny"\npath = "{path}"\n' for path in denied]
    (home / "config.toml").write_text("".join(rules))
    (folder / "secrets").mkdir()
    async with Studio(home) as studio:
        for name in TOLD:
            named(folder, name, how)
            model = scripted([call("get_project_info")], [{"do": "say", "text": "Done."}])
            session = await studio.start(model=model, folder=folder, mode="allow")
            assert (await session.prompt("go")).success
            told = [msgspec.json.encode(each.data).decode() for each in await session.facts()]
            assert any("entries" in each for each in told), "it was looked at"
            assert [each for each in told if SECRET in each] == [], name
            (folder / name).unlink()
            (folder / "secrets/key.pem").unlink(missing_ok=True)
