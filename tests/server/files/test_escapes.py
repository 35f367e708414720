"""Nothing outside of a project is reached by any route, whatever the path says and whoever swaps links meanwhile."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hunt import examples
from tests.server.files.conftest import Desk
from tests.server.serving import Client, Serving

SECRET = "what nobody may see"  # noqa: S105

Call = Callable[[Client, str, str], Any]

ROUTES: dict[str, Call] = {
    "tree": lambda c, at, path: c.call("GET", f"{at}/files", params={"path": path}),
    "read": lambda c, at, path: c.call("GET", f"{at}/file", params={"path": path}),
    "write": lambda c, at, path: c.call(
        "PUT", f"{at}/file", {"content": "broken", "version": ""}, params={"path": path}
    ),
    "remove": lambda c, at, path: c.call(
        "DELETE", f"{at}/file", params={"path": path, "recursive": "true"}
    ),
    "folder": lambda c, at, path: c.call("POST", f"{at}/folders", {"path": path}),
    "move from": lambda c, at, path: c.call("POST", f"{at}/move", {"path": path, "to": "here"}),
    "move to": lambda c, at, path: c.call("POST", f"{at}/move", {"path": "bait", "to": path}),
    "upload": lambda c, at, path: c.call(
        "POST", f"{at}/upload", {"broken": True}, params={"path": path}
    ),
    "download": lambda c, at, path: c.call("GET", f"{at}/download", params={"path": path}),
    "diff": lambda c, at, path: c.call("POST", f"{at}/diff", {"path": path, "content": ""}),
    "shell": lambda c, at, path: c.call("POST", f"{at}/shells", {"container": path}),
}

BODIES = {"folder", "move from", "move to", "diff", "shell"}
"""Where the path is in the body."""

PATHS = [
    "../outside/secret.txt",
    "../outside",
    "deep/../../outside/secret.txt",
    "./../outside/secret.txt",
    "..",
    "deep/../..",
    "OUTSIDE/secret.txt",
    "OUTSIDE",
    "/etc/passwd",
    "//etc/passwd",
    "relative-link/secret.txt",
    "relative-link/new.txt",
    "absolute-link/secret.txt",
    "file-link",
    "deep/up/secret.txt",
    "dangling",
    "loop",
    "loop/x",
    "proc/self/root/etc/passwd",
    "NUL\0.txt",
    "long/" + "x" * 256,
    "y/" * 2_100,
    "\udcff",
]


@pytest.fixture
def outside(desk: Desk) -> Path:
    """A folder beside the project, and links to it."""
    place = desk.folder.parent / "outside"
    if not place.exists():
        place.mkdir()
        (place / "secret.txt").write_text(SECRET)
        (desk.folder / "deep").mkdir()
        (desk.folder / "bait").mkdir()
        (desk.folder / "relative-link").symlink_to("../outside")
        (desk.folder / "absolute-link").symlink_to(place)
        (desk.folder / "file-link").symlink_to("../outside/secret.txt")
        (desk.folder / "deep" / "up").symlink_to("../../outside")
        (desk.folder / "proc").symlink_to("/proc")
        (desk.folder / "dangling").symlink_to("../outside/made-by-us")
        (desk.folder / "loop").symlink_to("loop")
    return place


@pytest.mark.parametrize("route", ROUTES)
async def test_no_path_leads_out(desk: Desk, outside: Path, route: str) -> None:
    links = ("relative-link", "absolute-link", "file-link", "dangling", "loop", "proc")
    for raw in PATHS:
        path = raw.replace("OUTSIDE", str(outside))
        if "\udcff" in path and route not in BODIES:
            continue  # no address can say that
        if path in links and route in ("remove", "move from"):
            continue  # that is about the link itself
        status, answer = await ROUTES[route](desk.client, desk.at, path)
        assert 400 <= status < 500, (path, status, answer)
        assert SECRET not in str(answer)
        assert {each.name for each in outside.iterdir()} == {"secret.txt"}, path
        assert (outside / "secret.txt").read_text() == SECRET


@pytest.mark.parametrize("path", ["..\\outside\\x.txt", "%2e%2e%2foutside", "~", "$HOME", "..."])
async def test_what_leads_out_elsewhere_is_just_a_name_here(desk: Desk, path: str) -> None:
    status, _ = await ROUTES["write"](desk.client, desk.at, path)
    assert status == 200
    assert (desk.folder / path).read_text() == "broken"


@pytest.mark.parametrize("route", ["read", "write", "upload", "diff"])
async def test_what_is_no_file_is_refused_at_once(desk: Desk, route: str) -> None:
    pipe, folder = desk.folder / "a-pipe", desk.folder / "a-folder"
    if not pipe.exists():
        os.mkfifo(pipe)
        folder.mkdir()
    for path in ("a-pipe", "a-folder", "a-pipe/x"):
        status, answer = await ROUTES[route](desk.client, desk.at, path)
        assert status == 422, (path, answer)


async def test_a_device_is_refused(desk: Desk) -> None:
    try:
        os.mknod(desk.folder / "zero", 0o666 | 0o020000, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only root makes devices")
    for route in ("read", "write", "upload", "diff"):
        status, _ = await ROUTES[route](desk.client, desk.at, "zero")
        assert status == 422
    status, _ = await ROUTES["download"](desk.client, desk.at, "zero")
    assert 400 <= status < 500


_SWAP = """
import os, sys
real, aside, link = (sys.argv[1] + each for each in ("", ".aside", ".link"))
print("swapping", flush=True)
while True:
    for one, other in ((real, aside), (link, real), (real, link), (aside, real)):
        try:
            os.rename(one, other)
        except OSError:
            continue  # whoever is asked to write there may have made it anew
"""


@pytest.mark.parametrize("route", ["tree", "read", "write", "remove", "upload", "download"])
async def test_links_that_are_swapped_meanwhile_lead_nowhere(
    desk: Desk, outside: Path, route: str
) -> None:
    """A folder of the project is, in turns, itself and a link to the outside, thousands of times."""
    real = desk.folder / f"swapping-{route}"
    real.mkdir()
    (real / "secret.txt").write_text("harmless")
    real.with_name(f"{real.name}.link").symlink_to(outside)
    swapper = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _SWAP, str(real), stdout=asyncio.subprocess.PIPE
    )
    assert swapper.stdout
    assert await swapper.stdout.readline()
    try:
        for _ in range(examples(12, 2_000)):
            _, answer = await ROUTES[route](desk.client, desk.at, f"{real.name}/secret.txt")
            assert SECRET not in str(answer)
    finally:
        swapper.kill()
        await swapper.wait()
    assert {each.name for each in outside.iterdir()} == {"secret.txt"}
    assert (outside / "secret.txt").read_text() == SECRET


async def test_another_persons_project_is_not_there(desk: Desk, shared: Serving) -> None:
    async with shared.client(shared.token("other")) as other:
        assert await other.get("/api/projects") == {"projects": []}
        for name, call in {"show": _show, **ROUTES}.items():
            real, answer = await call(other, desk.at, "notes")
            none, missing = await call(other, "/api/projects/prj_none", "notes")
            assert (real, none) == (404, 404), name
            assert str(answer).replace(desk.at.rpartition("/")[2], "prj_none") == str(missing)


def _show(client: Client, at: str, path: str) -> Any:
    return client.call("GET", at)
