"""Files on their way in and out."""

import asyncio
import hashlib
import io
import os
import zipfile
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import aiohttp

from tests.server.files.conftest import Desk
from tests.server.serving import Serving


def _passing(folder: Path) -> list[Path]:
    return [*folder.rglob(".bottega-*.tmp")]


async def test_an_upload_is_stored_byte_for_byte(desk: Desk) -> None:
    body = os.urandom(3_000_000)
    ask = {"path": "in/here/blob.bin"}
    sent = io.BytesIO(body)
    async with desk.client.session.post(f"{desk.at}/upload", data=sent, params=ask) as response:
        made = await response.json()
    assert response.status == 200
    assert made["version"] == hashlib.sha256(body).hexdigest()
    assert (desk.folder / "in/here/blob.bin").read_bytes() == body
    assert _passing(desk.folder) == []


async def test_an_upload_over_another_version_is_refused_and_leaves_nothing(desk: Desk) -> None:
    file = desk.folder / "kept.bin"
    file.write_bytes(b"theirs")
    for version in ("", hashlib.sha256(b"mine").hexdigest()):
        ask = {"path": "kept.bin", "version": version}
        async with desk.client.session.post(f"{desk.at}/upload", data=b"x", params=ask) as response:
            problem = await response.json()
        assert response.status == 409
        assert problem["version"] == hashlib.sha256(b"theirs").hexdigest()
    assert file.read_bytes() == b"theirs"
    assert _passing(desk.folder) == []


async def test_an_upload_that_is_too_large_is_refused_whether_or_not_it_says_so(desk: Desk) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(101):
            yield bytes(1024 * 1024)

    async with desk.client.session.post(
        f"{desk.at}/upload",
        params={"path": "said.bin"},
        headers={"Content-Length": str(200 * 1024 * 1024)},
        data=b"",
        skip_auto_headers=["Content-Type"],
    ) as response:
        assert response.status == 413
    with suppress(aiohttp.ClientError):  # it may hear nothing but that nobody listens any more
        async with desk.client.session.post(
            f"{desk.at}/upload", params={"path": "unsaid.bin"}, data=endless()
        ) as response:
            assert response.status == 413
    assert not (desk.folder / "said.bin").exists()
    assert not (desk.folder / "unsaid.bin").exists()
    assert _passing(desk.folder) == []


async def test_an_upload_that_breaks_off_leaves_nothing(desk: Desk, serving: Serving) -> None:
    """Its own server: when that has stopped, all that it began is over."""
    arrived = asyncio.Event()

    async def half() -> AsyncIterator[bytes]:
        yield b"half"
        while not _passing(serving.folder):
            await asyncio.sleep(0.001)
        arrived.set()
        await asyncio.Event().wait()

    async with serving.client() as client:
        project = (await client.get("/api/projects"))["projects"][0]
        url = f"/api/projects/{project['id']}/upload"
        sending = asyncio.create_task(
            client.session.post(url, params={"path": "a/b/c.bin"}, data=half()).__aenter__()
        )
        await arrived.wait()
        sending.cancel()
        await asyncio.wait({sending})
    await asyncio.to_thread(serving.stop)
    assert [each.name for each in serving.folder.iterdir()] == ["notes.txt"]


async def test_what_a_killed_server_left_of_an_upload_goes_with_the_next_change(
    serving: Serving,
) -> None:
    arrived = asyncio.Event()

    async def half() -> AsyncIterator[bytes]:
        yield b"half"
        while not _passing(serving.folder):
            await asyncio.sleep(0.001)
        arrived.set()
        await asyncio.Event().wait()

    token = serving.token()
    async with serving.client(token) as client:
        project = (await client.get("/api/projects"))["projects"][0]
        at = f"/api/projects/{project['id']}"
        sending = asyncio.create_task(
            client.session.post(f"{at}/upload", params={"path": "c.bin"}, data=half()).__aenter__()
        )
        await arrived.wait()
        await asyncio.to_thread(serving.kill)
        await asyncio.wait({sending})
        assert isinstance(sending.exception(), aiohttp.ClientError)
    assert _passing(serving.folder)
    await asyncio.to_thread(serving.start)
    async with serving.client(token) as client:
        listed = await client.get(f"{at}/files")  # whoever made it is gone, so it is seen
        assert len(listed["entries"]) == 2
        body = {"content": "x", "version": ""}
        await client.call("PUT", f"{at}/file", body, params={"path": "x.txt"})
    assert sorted(each.name for each in serving.folder.iterdir()) == ["notes.txt", "x.txt"]


async def test_a_download_is_byte_for_byte_and_never_shown_by_a_browser(desk: Desk) -> None:
    name = 'pägé "quoted"; x=.html'
    body = b"<script>alert(1)</script>" + os.urandom(600_000)
    (desk.folder / name).write_bytes(body)
    async with desk.client.session.get(f"{desk.at}/download", params={"path": name}) as response:
        assert await response.read() == body
    headers = response.headers
    assert headers["Content-Type"] == "application/octet-stream"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Content-Security-Policy"] == "sandbox"
    assert headers["Content-Disposition"] == (
        "attachment; filename*=UTF-8''p%C3%A4g%C3%A9%20%22quoted%22%3B%20x%3D.html"
    )


async def test_a_folder_is_downloaded_as_a_zip_without_links_or_what_git_ignores(
    desk: Desk,
) -> None:
    secret = desk.folder.parent / "secret"
    secret.mkdir()
    (secret / "key").write_text("TOP SECRET")
    place = desk.folder / "zipped"
    (place / "src" / "deep").mkdir(parents=True)
    (place / ".git").mkdir()
    (place / ".git" / "config").write_text("")
    (place / "src" / "deep" / "ä.txt").write_text("deep")
    (place / "big.bin").write_bytes(bytes(2_000_000))
    (place / ".gitignore").write_text("*.log\n")
    (place / "x.log").write_text("log")
    (place / "to-folder").symlink_to(secret)
    (place / "to-file").symlink_to(secret / "key")
    (place / "inside").symlink_to("src")
    os.mkfifo(place / "pipe")

    async def names(**more: str) -> list[str]:
        ask = {"path": "zipped", **more}
        async with desk.client.session.get(f"{desk.at}/download", params=ask) as response:
            body = await response.read()
        assert "zipped.zip" in response.headers["Content-Disposition"]
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            assert archive.testzip() is None
            assert archive.read("src/deep/ä.txt") == b"deep"
            return archive.namelist()

    assert await names() == [".gitignore", "big.bin", "src/deep/ä.txt"]
    whole = [".git/config", ".gitignore", "big.bin", "src/deep/ä.txt", "x.log"]
    assert await names(ignored="true") == whole


async def test_a_folder_that_is_too_much_for_a_zip_is_refused_before_anything_is_sent(
    desk: Desk,
) -> None:
    place = desk.folder / "vast"
    place.mkdir()
    with (place / "sparse").open("wb") as file:
        file.truncate(3 << 30)
    status, problem = await desk.client.call("GET", f"{desk.at}/download", params={"path": "vast"})
    assert (status, problem["code"]) == (413, "too_large")


async def test_downloads_that_break_off_leave_no_file_open(desk: Desk, shared: Serving) -> None:
    (desk.folder / "wide.bin").write_bytes(bytes(20_000_000))

    def held() -> list[str]:
        fds = Path(f"/proc/{shared.pid}/fd")
        return [each for each in map(os.readlink, fds.iterdir()) if each.endswith("wide.bin")]

    for _ in range(5):
        ask = {"path": "wide.bin"}
        async with desk.client.session.get(f"{desk.at}/download", params=ask) as response:
            await response.content.readany()
            response.close()
    async with asyncio.timeout(10):
        while held():
            await asyncio.sleep(0.01)
