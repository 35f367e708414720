"""What comes from inside is written by strangers: it is read with care, and nothing that was said is lost."""

import asyncio
import os
import socket
from typing import Any

import pytest

from bottega.errors import Problem
from bottega.workspaces.sandbox.channel import Channel, encoded
from bottega.workspaces.sandbox.inside.keeper import Keeper
from tests.descriptors import descriptors, given_back


class Heard:
    """Both ends of a channel, and what came over it."""

    def __init__(self) -> None:
        ours, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.messages: list[dict[str, Any]] = []
        self.ended = asyncio.Event()
        self.channel = Channel(ours, self._heard, self.ended.set)

    def _heard(self, message: dict[str, Any], fds: list[int]) -> None:
        self.messages.append(message)
        for fd in fds:
            os.close(fd)

    async def all(self) -> list[dict[str, Any]]:
        self.theirs.close()
        await asyncio.wait_for(self.ended.wait(), 5)
        return self.messages


async def test_what_was_said_before_an_end_with_something_unread_is_heard() -> None:
    heard = Heard()
    heard.channel.send({"kill": True})
    heard.theirs.send(b'{"exit": 3}')
    assert await heard.all() == [{"exit": 3}]


def test_a_keeper_hears_that_it_is_to_kill_from_an_owner_that_never_read_what_it_said() -> None:
    """As when a start is cancelled: the reset comes first, and the word after it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    keeper = Keeper.__new__(Keeper)
    keeper.channel = theirs
    keeper.tell({"started": 7})
    ours.send(b'{"kill": true}')
    ours.close()
    with theirs:
        said = [keeper.asked() for _ in range(3)]
    assert said == [None, b'{"kill": true}', b""]


@pytest.mark.parametrize("body", [b"nonsense", b"[]", b"1", b"\xff\xfe", b'{"a":', b"null"])
async def test_what_is_no_message_is_passed_over(body: bytes) -> None:
    heard = Heard()
    heard.theirs.send(body)
    heard.theirs.send(b'{"next": 1}')
    assert await heard.all() == [{"next": 1}]


async def test_descriptors_that_nobody_asked_for_are_closed() -> None:
    heard = Heard()
    before = descriptors()
    for body in (b"nonsense", b'{"a": 1}'):
        socket.send_fds(heard.theirs, [body], [0, 0, 0])
    await heard.all()
    await given_back(before)


async def test_saying_something_to_nobody_is_no_error() -> None:
    heard = Heard()
    await heard.all()
    heard.channel.say({"kill": True})
    heard.channel.close()
    assert heard.channel.closed
    with pytest.raises(OSError, match="Bad file descriptor"):
        heard.channel.send({"kill": True})


def test_a_message_has_a_largest_size() -> None:
    with pytest.raises(Problem, match="too long"):
        encoded({"argv": ["x" * 200_000]})
