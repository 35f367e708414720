"""Simple clients on the socket: words in, their exchange in simple words out, and all of it in the log."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.hub.wire import Wire, fresh, wire_to
from tests.server.serving import Serving

Script = Callable[..., str]
Tokens = dict[str, str]


@pytest.fixture
def simple(home: Path, folder: Path, scripted: Script) -> Serving:
    (folder / "inner").mkdir()
    call = {"do": "call", "name": "read_file", "input": {"file_path": "notes.txt"}}
    rules = [
        {"when": "look", "turns": [[{"do": "say", "text": "Looking."}, call], [_say("Seen.")]]},
        {"when": "ask", "turns": [[{"do": "call", "name": "ask_user", "input": _QUESTION}]]},
        {"when": "", "turns": [[_say("Hello there.")]]},
    ]
    model = scripted(rules=rules)
    return Serving(home, folder, environment={"BOTTEGA_MODEL": model})


def _say(text: str) -> dict[str, str]:
    return {"do": "say", "text": text}


_QUESTION = {"question": "Red or blue?", "choices": ["red", "blue"]}


async def told(wire: Wire, **frame: object) -> list[dict[str, object]]:
    """Everything that is told of one frame, up to its end."""
    begin = len(wire.frames)
    await wire.send(**frame)
    await wire.a("complete")
    return [each for each in wire.frames[begin:] if each["type"] != "heartbeat"]


@pytest.mark.requirement("T49")
async def test_a_frame_of_the_simple_shape_is_a_prompt_and_its_events_come_in_simple_words(
    simple: Serving,
) -> None:
    with simple:
        token = simple.token()
        async with wire_to(simple, token) as wire, simple.client(token) as client:
            first = await told(wire, message="look around", agent_id="coder", edit_mode="allow")
            assert {each["type"] for each in first} == {"text_chunk", "agent_step", "complete"}
            chunks = "".join(str(e["content"]) for e in first if e["type"] == "text_chunk")
            assert chunks == "Looking.Seen."
            assert first[-1]["final_response"] == "Seen."
            assert first[-1]["completion_reason"] == "no_more_actions"
            ids = {(each["session_id"], each["message_id"]) for each in first}
            assert len(ids) == 1  # all carry the same two
            indexes = [each["index"] for each in first]
            assert indexes == sorted(indexes)  # type: ignore[type-var]

            second = await told(wire, message="hello", container_id=None)
            assert second[-1]["final_response"] == "Hello there."
            session = first[0]["session_id"]
            assert second[0]["session_id"] == session  # the same implicit tab
            assert second[0]["message_id"] != first[0]["message_id"]

            moved = await told(wire, message="hello", container_id="inner")
            assert moved[0]["session_id"] != session
            back = await told(wire, message="hello", session_id=session)
            assert back[0]["session_id"] == session

            kinds = await _kinds(client, str(session))
            assert kinds.count("exchange_response") == 3  # durable, and not only told
            listed = await wire.ask(type="restore", tabs=[])
            assert listed["tabs"] == []  # nothing is left of a tab that had no name

            message = fresh()
            once = await told(wire, message="hello", session_id=session, message_id=message)
            again = await told(wire, message="hello", session_id=session, message_id=message)
            assert once == again
            assert (await _kinds(client, str(session))).count("user_message") == 4

            await wire.send(message="ask me", session_id=session)
            asked = await wire.a("approval_required")
            assert (asked["tool_name"], asked["tool_parameters"]) == ("ask_user", _QUESTION)
            empty = await wire.ask(message="  ", session_id=session)
            assert (empty["type"], empty["code"]) == ("error", "bad_usage")


async def _kinds(client, session: str) -> list[str]:  # type: ignore[no-untyped-def]
    page = await client.get(f"/api/sessions/{session}/events?limit=1000")
    return [body["type"] for _, body in page["events"]]
