"""Every frame of the socket, as the hub itself lists them, with every id in it another person's.

The answer must be that for an id that never was, and what is another's stays as it is. A new frame, or a new id in one,
that nobody has thought about fails here.
"""

import re
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest

from bottega.server.hub import frames
from tests.server.crossing.belongings import Owner, everything_of, never
from tests.server.hub.wire import Wire, fresh, wired
from tests.server.serving import Serving

SAID: dict[str, dict[str, Any]] = {
    "new-tab": {},
    "restore": {},
    "prompt": {"text": "hello"},
    "cancel": {},
    "visible": {"last_seen": 0},
    "hidden": {},
    "close-tab": {},
    "answer": {"word": "allow_once"},
    "ping": {},
    "shell-attach": {"offset": 0},
    "shell-input": {"text": "echo gotcha > gotcha\n"},
    "shell-resize": {"columns": 80, "rows": 24},
    "shell-detach": {},
}
"""What each frame needs besides ids."""

OWN = {
    ("new-tab", "tab_id"): "a tab's id is its client's, and each person has ids of their own",
    ("prompt", "message_id"): "a prompt's id is its client's, and each session has ids of its own",
    ("cancel", "message_id"): "there is none of that id in this session, which is no mistake",
    ("restore", "tab_id"): "it is told as gone",
}
"""Ids for which the answer is no error; another's is as good as any."""


def ids_in(frame: type[msgspec.Struct]) -> list[str]:
    return [name for name in frame.__struct_fields__ if name.endswith("_id")]


def crossings() -> Iterator[tuple[str, str]]:
    """Each type of frame with each of its ids."""
    for frame in get_args(frames.Typed):
        kind = str(frame.__struct_config__.tag)
        for name in ids_in(frame):
            yield kind, name
    yield "restore", "tab_id"


def test_every_frame_is_known_here() -> None:
    assert {str(frame.__struct_config__.tag) for frame in get_args(frames.Typed)} == set(SAID)
    assert set(OWN) <= set(crossings())


def framed(kind: str, ids: dict[str, str]) -> dict[str, Any]:
    if kind == "restore":
        return {"type": kind, "tabs": [{"tab_id": ids["tab_id"], "last_seen": 0}]}
    (frame,) = [each for each in get_args(frames.Typed) if each.__struct_config__.tag == kind]
    return {"type": kind, **SAID[kind], **{name: ids[name] for name in ids_in(frame)}}


async def told(wire: Wire, kind: str, ids: dict[str, str]) -> str:
    """The answer, without any id in it."""
    answer = await wire.ask(**framed(kind, ids))
    text = msgspec.json.encode({k: v for k, v in answer.items() if k != "ref"}).decode()
    for each in filter(None, ids.values()):
        text = text.replace(each, "ID")
    return re.sub(r"ses_[0-9a-f]{32}", "ID", text)


@pytest.mark.asyncio(loop_scope="package")
async def test_what_is_anothers_is_answered_in_every_frame_as_what_never_was(
    served: Serving, people: list[Owner]
) -> None:
    ada, bob, _ = people
    before = everything_of(ada, served.home)
    wrong: list[object] = []
    async with wired(bob.client) as wire:
        for kind, name in crossings():
            if (kind, name) in OWN:
                continue
            own = {**bob.ids, "tab_id": fresh()} if kind == "new-tab" else bob.ids
            if (kind, name) == ("new-tab", "project_id"):
                own["session_id"] = ""
            got = await told(wire, kind, {**own, name: ada.ids[name]})
            expected = await told(wire, kind, {**own, name: never(ada.ids[name])})
            if got != expected or '"error"' not in got:
                wrong.append((kind, name, got, expected))
        heard = msgspec.json.encode(wire.frames).decode()
    assert wrong == []
    assert ada.word not in heard
    assert everything_of(ada, served.home) == before


@pytest.mark.asyncio(loop_scope="package")
async def test_an_id_of_anothers_that_clients_make_is_as_good_as_any_and_leads_nowhere(
    served: Serving, people: list[Owner]
) -> None:
    ada, _, host = people
    before = everything_of(ada, served.home)
    async with wired(host.client) as wire:
        for given in (ada.ids, {name: never(each) for name, each in ada.ids.items()}):
            tab_id, message_id = given["tab_id"], given["message_id"]
            gone = await wire.ask(type="restore", tabs=[{"tab_id": tab_id, "last_seen": 0}])
            assert gone["gone"] == [tab_id]
            made = await wire.ask(type="new-tab", tab_id=tab_id, model=host.model)
            assert made["session_id"] != ada.ids["session_id"]
            mine = {"tab_id": tab_id, "message_id": message_id}
            assert not (await wire.ask(type="cancel", **mine))["found"]
            assert not (await wire.ask(type="prompt", **mine, text="hello"))["repeated"]
            await wire.ask(type="close-tab", tab_id=tab_id)
        heard = msgspec.json.encode(wire.frames).decode()
    assert ada.word not in heard
    assert everything_of(ada, served.home) == before


@pytest.mark.asyncio(loop_scope="package")
@pytest.mark.parametrize("name", ["session_id", "project_id"])
async def test_a_simple_frame_with_anothers_id_is_answered_as_one_with_an_id_that_never_was(
    people: list[Owner], name: str
) -> None:
    ada, bob, _ = people
    got: list[str] = []
    async with wired(bob.client) as wire:
        for each in (ada.ids[name], never(ada.ids[name])):
            answer = await wire.ask(message="hello", **{name: each})
            assert answer.pop("ref")
            assert answer["type"] == "error"
            got.append(msgspec.json.encode(answer).decode().replace(each, "ID"))
    assert got[0] == got[1]
