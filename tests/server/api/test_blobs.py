"""What is too large to stand in a log, read through the session that has it."""

import base64
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.server.api.using import Api, begun, call, prompted, ran, say, until
from tests.server.serving import Client

LETTERS = "Grüße, 世界! "
PICTURE = b"\x89PNG\r\n\x1a\n" + os.urandom(40_000)


@pytest.fixture(scope="module")
def printing(api: Api) -> str:
    """A model that has a lot printed; its text has letters of every length."""
    (api.folder / "long.txt").write_text(LETTERS * 10_000)
    turns = [[call("bash_exec", command="cat long.txt")], [say("Printed.")]]
    path = api.place / "printing.json"
    path.write_bytes(msgspec.json.encode({"turns": turns, "after": "repeat"}))
    return f"scripted/{path}"


async def printed(client: Client, model: str) -> str:
    """The path of what a command printed."""
    session = await begun(client, model=model, mode="allow")
    await ran(client, session, "print")
    result = await until(client, session, "tool_result")
    output = msgspec.json.decode(result["data"]["content"][0]["text"])["result"]["output_id"]
    return f"/api/sessions/{session}/outputs/{output}"


async def sent(client: Client, path: str, **query: Any) -> tuple[bytes, Mapping[str, str]]:
    async with client.session.get(path, params=query) as response:
        assert response.status == 200, await response.text()
        return await response.read(), response.headers


async def said(client: Client, session: str, content: bytes, kind: str = "image") -> str:
    """The path of a blob that a prompt brought."""
    media = {"type": kind, "media_type": "image/png", "data": base64.b64encode(content).decode()}
    await prompted(client, session, [media])  # type: ignore[arg-type] - blocks are content as well
    return f"/api/sessions/{session}/blobs/{hashlib.sha256(content).hexdigest()}"


async def test_a_whole_output_is_read_in_pieces_that_are_cut_between_letters(
    api: Api, printing: str
) -> None:
    async with api.client() as client:
        output = await printed(client, printing)
        text = (LETTERS * 10_000).encode()
        as_blob = await said(client, await begun(client), text)
        for path in (output, as_blob):
            whole, headers = await sent(client, path)
            assert whole == text
            assert headers["Content-Type"] == "text/plain; charset=utf-8"
            assert int(headers["X-Size"]) == int(headers["X-Next"]) == len(whole)
            for limit in range(50_001, 50_009):
                assert await in_pieces(client, path, limit) == text
            past, headers = await sent(client, path, offset=2**53 - 1, limit=5)
            assert (past, headers["X-Next"]) == (b"", str(len(whole)))
        whole, headers = await sent(client, output, limit=10, download="true")
        assert whole == text, "a file to keep has all of it"
        assert headers["Content-Disposition"].startswith("attachment; filename=")
        _, headers = await sent(client, output, limit=10)
        assert "sandbox" in headers["Content-Security-Policy"]


async def in_pieces(client: Client, path: str, limit: int) -> bytes:
    pieces, at, size = b"", 0, 1
    while at < size:
        piece, headers = await sent(client, path, offset=at, limit=limit)
        piece.decode()
        assert 0 < len(piece) <= limit
        pieces, at, size = pieces + piece, int(headers["X-Next"]), int(headers["X-Size"])
    return pieces


async def test_an_output_that_was_never_there_is_not_found(api: Api, printing: str) -> None:
    async with api.client() as client:
        path = await printed(client, printing)
        for wrong in (path + "0", path.rpartition("/")[0] + "/..%2Fx", f"{path}?stream=stderr"):
            assert (await client.call("GET", wrong))[0] in (404, 405), wrong


async def test_a_picture_has_its_type_and_what_could_run_is_text(api: Api) -> None:
    drawing = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>" * 1_000
    async with api.client() as client:
        session = await begun(client)
        body, headers = await sent(client, await said(client, session, PICTURE))
        assert (body, headers["Content-Type"]) == (PICTURE, "image/png")
        assert headers["Content-Disposition"].startswith("inline; filename=")
        assert "sandbox" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        path = await said(client, session, drawing)
        _, headers = await sent(client, path)
        assert headers["Content-Type"] == "text/plain; charset=utf-8"
        _, headers = await sent(client, path, download="true")
        assert headers["Content-Disposition"].startswith("attachment; filename=")
        _, headers = await sent(client, await said(client, session, b"\0" * 40_000))
        assert headers["Content-Type"] == "application/octet-stream"
        assert headers["Content-Disposition"].startswith("attachment")


async def test_only_blobs_that_the_session_itself_has_are_found(api: Api, tmp_path: Path) -> None:
    async with api.client() as client, api.client("ada") as ada:
        mine, other = await begun(client), await begun(client)
        path = await said(client, mine, PICTURE + b"mine")
        blob = path.rpartition("/")[2]
        for wrong in (
            path.replace(mine, other),
            path.replace(blob, "0" * 64),
            path.replace(blob, "..%2Fbottega.db"),
            path.replace(blob, "x"),
        ):
            assert (await client.call("GET", wrong))[0] == 404, wrong
        assert (await ada.call("GET", path))[0] == 404
