"""The Gemini protocol against a LiteLLM proxy in front of the real model. Optional: the proxy is large.

Install it in a venv of its own (`pip install 'litellm[proxy]'`) and name its program in `BOTTEGA_LITELLM`.
"""

import asyncio
import os
import secrets
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from bottega.messages.block import plain_text
from bottega.messages.message import user
from bottega.providers.connect import Transport
from bottega.providers.provider import Finished, Request, Target, TextPiece
from bottega.providers.transport import HttpProvider
from bottega.providers.wires import wire

PROGRAM = os.environ.get("BOTTEGA_LITELLM", "")

CONFIG = """
model_list:
  - model_name: small
    litellm_params: {{model: openai/small, api_base: "{address}/v1", api_key: none}}
"""

pytestmark = [
    pytest.mark.optional,
    pytest.mark.skipif(not PROGRAM, reason="BOTTEGA_LITELLM names no litellm program"),
]


@pytest.fixture(scope="module")
def proxy(model_address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    folder: Path = tmp_path_factory.mktemp("litellm")
    (folder / "config.yaml").write_text(CONFIG.format(address=model_address))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    key = f"sk-{secrets.token_hex(24)}"
    command = [
        PROGRAM,
        "--config",
        str(folder / "config.yaml"),
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    scope = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MASTER_KEY": key}
    process = subprocess.Popen(
        command, env=scope, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield Target("gemini", f"http://127.0.0.1:{port}", key, max_attempts=1)
    finally:
        process.kill()
        process.wait()


async def test_the_gemini_protocol_holds_against_a_proxy_with_a_real_model(proxy: Target) -> None:
    await _ready(proxy.base_url)
    transport = Transport()
    try:
        request = Request("small", (user("Say hi."),), max_output=12)
        provider = HttpProvider(wire("gemini"), proxy, transport)
        events = [event async for event in provider.stream(request)]
    finally:
        await transport.close()
    end = events[-1]
    assert isinstance(end, Finished), end
    streamed = "".join(event.text for event in events if isinstance(event, TextPiece))
    assert streamed == plain_text(end.content) != ""
    assert end.stop_reason in ("end_turn", "max_tokens")


async def _ready(address: str) -> None:
    """The proxy says itself when it is ready; until then it refuses connections."""
    async with asyncio.timeout(120), aiohttp.ClientSession() as session:
        while True:
            try:
                async with session.get(f"{address}/health/liveliness") as response:
                    if response.status == 200:
                        return
            except aiohttp.ClientError:
                await asyncio.sleep(0.5)
