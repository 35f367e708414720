"""Terminals over the socket: typed into, read on from any byte, and nobody else's."""

import pytest

from tests.server.hub.wire import Wire, fresh, wire_to
from tests.server.serving import Client, Serving

Tokens = dict[str, str]


async def shell_of(client: Client) -> dict[str, str]:
    """A new shell, as frames name it."""
    project = (await client.get("/api/projects"))["projects"][0]["id"]
    shell = await client.post(f"/api/projects/{project}/shells", {})
    return {"project_id": project, "shell_id": shell["id"]}


async def printed(wire: Wire, words: str) -> int:
    """Wait until a shell has printed that; the byte to go on from."""
    text = ""
    while words not in text:
        frame = await wire.a("shell-output")
        text += frame["text"]
    return frame["next"]


async def test_a_shell_is_typed_into_and_read_on_from_any_byte_after_a_reconnect(
    shared: Serving, tokens: Tokens
) -> None:
    async with shared.client(tokens["host"]) as client:
        shell = await shell_of(client)
        async with wire_to(shared, tokens["host"]) as wire:
            attached = await wire.ask(type="shell-attach", **shell, offset=0)
            assert attached["type"] == "shell-attached", attached
            typed = await wire.ask(type="shell-input", **shell, text="echo one$((1+1))\n")
            assert typed["type"] == "shell-typed", typed
            offset = await printed(wire, "one2\r\n")
            resized = await wire.ask(type="shell-resize", **shell, columns=111, rows=33)
            assert resized["type"] == "shell-resized", resized
        async with wire_to(shared, tokens["host"]) as again:
            await again.ask(type="shell-attach", **shell, offset=offset)
            await again.send(type="shell-input", **shell, text="stty size\n")
            await printed(again, "33 111")
            told = [f["text"] for f in again.frames if f["type"] == "shell-output"]
            assert "one2" not in "".join(told)
            assert (await again.ask(type="shell-detach", **shell))["type"] == "shell-detached"
            await again.ask(type="shell-attach", **shell, offset=0)
            await printed(again, "one2")
            await again.send(type="shell-input", **shell, text="exit 3\n")
            ended = await again.a("shell-ended")
            assert (ended["shell_id"], ended["exit_code"]) == (shell["shell_id"], 3)


@pytest.mark.requirement("C14")
async def test_a_shell_of_somebody_else_is_not_found(
    shared: Serving, tokens: Tokens, guest: Wire
) -> None:
    async with shared.client(tokens["host"]) as client:
        theirs = await shell_of(client)
    async with shared.client(tokens["guest"]) as client:
        own = (await client.get("/api/projects"))["projects"][0]["id"]
    none = {"project_id": own, "shell_id": "shl_" + fresh()}
    frames = (
        {"type": "shell-attach"},
        {"type": "shell-input", "text": "touch stolen\n"},
        {"type": "shell-resize", "columns": 1, "rows": 1},
        {"type": "shell-detach"},
    )
    for frame in frames:
        for shell in (theirs, {**theirs, "project_id": own}, none):
            answer = await guest.ask(**frame, **shell)
            assert (answer["type"], answer["code"]) == ("error", "not_found"), (frame, shell)
