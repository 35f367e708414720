"""What a provider refuses is said in a way that it takes, where there is one: over a real connection."""

import json
from pathlib import Path

from bottega.studio import Studio
from tests.agents.test_types import of
from tests.providers.loopback import JSON, Reply, serving
from tests.providers.made_up import chat, sse


def says(text: str) -> Reply:
    return Reply([sse(chat({"content": text}), chat({}, "stop"), "[DONE]")])


def refuses(message: str) -> Reply:
    return Reply([json.dumps({"error": {"message": message}}).encode()], 400, JSON)


async def test_a_model_that_turns_out_to_take_no_tools_is_told_them_as_text_from_then_on(
    home: Path, folder: Path
) -> None:
    (folder / "a.txt").write_text("apple")
    fence = '```tool_call\n{"name": "read_file", "arguments": {"file_path": "a.txt"}}\n```'
    replies = [
        refuses("gemma:2b does not support tools"),
        says(fence),
        says("An apple."),
        says("Yes."),
    ]
    async with serving(*replies) as server:
        flags = {"providers": {"box": {"base_url": server.url}}}
        async with Studio(home, flags=flags) as studio:
            session = await studio.start(model="box/gemma:2b", folder=folder)
            events = [event async for event in session.prompt("what is in it?")]
            again = await session.prompt("really?")
        bodies = [json.loads(seen.body) for seen in server.requests]
    assert (events[-1].data.success, events[-1].data.final_response) == (True, "An apple.")
    assert "apple" in of(events, "tool_result")[0].content[0].text
    assert again.final_response == "Yes."
    assert ["tools" in body for body in bodies] == [True, False, False, False]
    assert "tool_call" in bodies[1]["messages"][0]["content"]
    assert not of(events, "error_message")


async def test_a_request_that_is_too_long_is_made_shorter_once(home: Path, folder: Path) -> None:
    long = refuses("This model's maximum context length is 8192 tokens")
    replies = [
        *(says(f"Answer {n}: " + "word " * 900) for n in range(6)),
        long,
        says("Sum."),
        says("Ok."),
    ]
    async with serving(*replies) as server:
        flags = {"providers": {"box": {"base_url": server.url}}, "context_window": 100_000}
        async with Studio(home, flags=flags) as studio:
            session = await studio.start(model="box/m", folder=folder)
            for n in range(6):
                await session.prompt(f"question {n}")
            end = await session.prompt("and now?")
            made = [event.data for event in await session.facts() if event.type == "compaction"]
        sent, refused = server.requests[-1].body.decode(), server.requests[6].body
    assert (end.success, end.final_response) == (True, "Ok.")
    assert [each.reason for each in made] == ["overflow"]
    assert len(sent) < len(refused) * 0.7
    assert all(f"question {n}" in sent for n in range(6))
