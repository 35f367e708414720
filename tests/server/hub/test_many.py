"""Many clients at one session: who does not read holds nobody else."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

from tests.server.hub.test_tabs import opened, said
from tests.server.hub.wire import PATIENCE, Wire, fresh, wire_to, wired
from tests.server.serving import Serving

Script = Callable[..., str]
Tokens = dict[str, str]


async def test_a_client_that_never_reads_holds_none_of_the_twenty_that_do(
    shared: Serving, tokens: Tokens, scripted: Script
) -> None:
    turn = [{"do": "say", "text": "word " * 20_000, "pieces": 4_000}]
    model = scripted(turn, name="long", after="repeat")
    async with AsyncExitStack() as stack:
        deaf = await stack.enter_async_context(wire_to(shared, tokens["host"]))
        tab, session = await opened(deaf, model)
        client = await stack.enter_async_context(shared.client(tokens["host"]))
        wires = [await stack.enter_async_context(wired(client)) for _ in range(20)]
        tabs = [(await opened(wire, session_id=session))[0] for wire in wires]
        transport = deaf.socket.get_extra_info("socket")
        assert transport
        reading = deaf.socket._conn.transport  # type: ignore[union-attr]
        reading.pause_reading()
        before = _memory(shared)
        for _ in range(8):
            message = await said(wires[0], tabs[0])
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(
                    *(w.ends(t, message) for w, t in zip(wires, tabs, strict=True))
                )
        whole = wires[0].raw[tabs[0]]
        assert [index for index, _ in whole] == list(range(1, len(whole) + 1))
        for wire, its in zip(wires, tabs, strict=True):
            assert wire.raw[its] == whole
        assert _memory(shared) - before < 60_000  # kilobytes
        reading.resume_reading()  # what it missed it still gets, from the log
        await deaf.ends(tab, message)
        assert deaf.raw[tab] == whole


def _memory(serving: Serving) -> int:
    status = Path(f"/proc/{serving.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0])


async def test_a_client_in_a_hundred_sessions_gets_each_in_its_own_tab(
    wire: Wire, scripted: Script
) -> None:
    model = scripted([{"do": "say", "text": "mine"}], name="mine", after="repeat")
    tabs = {}
    for _ in range(100):
        tab, _ = await opened(wire, model)
        tabs[tab] = fresh()
    for tab, message in tabs.items():
        await wire.send(type="prompt", tab_id=tab, message_id=message, text=f"hello {message}")
    for tab, message in tabs.items():
        await wire.ends(tab, message)
        assert {body["message_id"] for _, body in wire.seen[tab]} == {message}
        assert wire.indexes(tab) == list(range(1, len(wire.indexes(tab)) + 1))
