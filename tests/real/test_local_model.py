"""All three protocols that a local model server speaks, held against a real model: shape, usage and stop."""

import pytest

from bottega.messages.block import plain_text
from bottega.messages.message import Message, user
from bottega.providers.http.connect import Transport
from bottega.providers.http.transport import HttpProvider
from bottega.providers.provider import Finished, Request, Started, Target, TextPiece
from bottega.providers.wires import WireName, wire

MOST = 12


@pytest.mark.requirement("A11", "A36", "A41", "N07")
@pytest.mark.parametrize("name", ["openai-chat", "openai-responses", "anthropic"])
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
async def test_a_real_model_holds_a_short_conversation(
    model_address: str, name: WireName, stream: bool
) -> None:
    version = "" if name == "anthropic" else "/v1"
    transport = Transport()
    target = Target("local", model_address + version, key="none", max_attempts=1)
    provider = HttpProvider(wire(name), target, transport)
    messages: tuple[Message, ...] = (user("Say hi."),)
    try:
        for _ in range(2):
            request = Request(
                "smollm2",
                messages,
                system="Be brief.",
                temperature=0.0,  # the same words each time
                max_output=MOST,
                stream=stream,
            )
            events = [event async for event in provider.stream(request)]
            end = events[-1]
            assert isinstance(end, Finished), end
            assert isinstance(events[0], Started)
            streamed = "".join(event.text for event in events if isinstance(event, TextPiece))
            assert streamed == plain_text(end.content) != ""
            assert 0 < end.usage.output_tokens <= MOST
            assert end.usage.input_tokens > 5
            assert end.stop_reason in ("end_turn", "max_tokens")
            messages = (*messages, Message("assistant", end.content), user("And now?"))
    finally:
        await transport.close()
