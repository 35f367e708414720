"""What a session changed, over HTTP: shown, undone, and never over what a person did since."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from bottega.studio import Studio
from tests.server.serving import Client, Serving


def _write(path: str, content: str) -> dict[str, Any]:
    return {"do": "call", "name": "write_file", "input": {"file_path": path, "content": content}}


class Worked:
    def __init__(self, client: Client, session_id: str, folder: Path, serving: Serving) -> None:
        self.client = client
        self.at = f"/api/sessions/{session_id}"
        self.folder = folder
        self.serving = serving


@pytest.fixture
async def worked(home: Path, folder: Path, scripted: Callable[..., str]) -> AsyncIterator[Worked]:
    """A session that has written three files, and a server in the same home."""
    model = scripted(
        [
            _write("notes.txt", "hello agent\n"),
            _write("src/new.py", "x = 1\n"),
            _write("other.txt", "other\n"),
        ],
        [{"do": "say", "text": "done"}],
    )
    async with Studio(home) as studio:
        session = await studio.start(model=model, folder=folder, mode="allow")
        await session.prompt("go")
    with Serving(home, folder) as serving:
        async with serving.client() as client:
            yield Worked(client, session.id, folder, serving)


async def test_changes_are_listed_with_counts_and_shown_on_demand(worked: Worked) -> None:
    (worked.folder / "other.txt").write_text("mine\n")
    listed = await worked.client.get(f"{worked.at}/changes")
    assert listed["folder"] == str(worked.folder)
    seen = {each["path"]: each for each in listed["changes"]}
    assert {path: (each["change"], each["now"]) for path, each in seen.items()} == {
        "notes.txt": ("modified", "left"),
        "other.txt": ("added", "edited"),
        "src/new.py": ("added", "left"),
    }
    assert (seen["notes.txt"]["added"], seen["notes.txt"]["removed"]) == (1, 1)
    diff = await worked.client.get(f"{worked.at}/changes/diff", params={"path": "notes.txt"})
    assert "-hello world\n+hello agent\n" in diff["text"]
    status, _ = await worked.client.call(
        "GET", f"{worked.at}/changes/diff", params={"path": "none.txt"}
    )
    assert status == 404


async def test_a_revert_leaves_what_a_person_changed_since_unless_it_is_forced(
    worked: Worked,
) -> None:
    (worked.folder / "other.txt").write_text("mine\n")
    undone = await worked.client.post(f"{worked.at}/revert", {"all": True})
    assert undone["reverted"] == ["notes.txt", "src/new.py"]
    assert "edited since" in undone["refused"]["other.txt"]
    assert (worked.folder / "notes.txt").read_text() == "hello world\n"
    assert not (worked.folder / "src/new.py").exists()
    assert (worked.folder / "other.txt").read_text() == "mine\n"
    forced = await worked.client.post(
        f"{worked.at}/revert", {"paths": ["other.txt"], "force": True}
    )
    assert forced == {"reverted": ["other.txt"], "refused": {}}
    assert not (worked.folder / "other.txt").exists()
    again = await worked.client.post(f"{worked.at}/revert", {"all": True})
    assert again == {"reverted": [], "refused": {}}


async def test_only_what_is_named_is_undone(worked: Worked) -> None:
    undone = await worked.client.post(f"{worked.at}/revert", {"paths": ["src"]})
    assert undone["reverted"] == ["src/new.py"]
    assert (worked.folder / "notes.txt").read_text() == "hello agent\n"
    wrong: tuple[dict[str, Any], ...] = (
        {},
        {"paths": []},
        {"paths": ["none"]},
        {"paths": ["notes.txt"], "all": True},
        {"paths": ["../etc"]},
        {"paths": ["/etc/passwd"]},
        {"paths": ["a\0b"]},
    )
    for body in wrong:
        status, _ = await worked.client.call("POST", f"{worked.at}/revert", body)
        assert status == 422, body


async def test_what_a_person_read_before_it_was_reverted_cannot_be_saved_over_it(
    worked: Worked,
) -> None:
    project = (await worked.client.get("/api/projects"))["projects"][0]
    at = f"/api/projects/{project['id']}/file"
    read = await worked.client.get(at, params={"path": "notes.txt"})
    await worked.client.post(f"{worked.at}/revert", {"paths": ["notes.txt"]})
    body = {"content": "person\n", "version": read["version"]}
    status, problem = await worked.client.call("PUT", at, body, params={"path": "notes.txt"})
    assert (status, problem["code"]) == (409, "stale")
    assert (worked.folder / "notes.txt").read_text() == "hello world\n"


async def test_another_persons_session_is_not_there(worked: Worked) -> None:
    async with worked.serving.client(worked.serving.token("other")) as other:
        for status, _ in (
            await other.call("GET", f"{worked.at}/changes"),
            await other.call("GET", f"{worked.at}/changes/diff", params={"path": "notes.txt"}),
            await other.call("POST", f"{worked.at}/revert", {"all": True}),
        ):
            assert status == 404
    assert (worked.folder / "notes.txt").read_text() == "hello agent\n"
