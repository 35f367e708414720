"""Severity: low (L1). What a model is told of the folder before it asks names no file that a rule denies."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from bottega.studio import Studio
from tests.agents.test_types import of, say


def _track(folder: Path) -> None:
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=folder, check=True)


async def test_neither_the_listing_nor_the_state_of_git_names_a_denied_file(
    home: Path, folder: Path, scripted: Callable[..., str]
) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.toml").write_text('[[rules]]\nverdict = "deny"\npath = "secrets/**"\n')
    (folder / "secrets").mkdir()
    for name in ("shown.txt", "secrets/merger-with-acme.txt"):
        (folder / name).write_text("words")
    _track(folder)
    async with Studio(home) as studio:
        session = await studio.start(model=scripted([say("Done.")]), folder=folder)
        assert (await session.prompt("go")).success
        told = str(of(await session.facts(), "aside"))
    assert "A. shown.txt" in told
    assert "merger-with-acme" not in told
