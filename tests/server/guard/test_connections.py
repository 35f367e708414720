"""Whose connections there are, and which are cut where there are too many."""

import asyncio
import socket
from contextlib import ExitStack
from typing import Any, cast

from bottega.server.guard.connections import Connections, Seat, Shares


class Transport:
    is_cut = False

    def __init__(self, sock: socket.socket | None = None) -> None:
        self._sock = sock

    def get_extra_info(self, _: str) -> socket.socket | None:
        return self._sock

    def abort(self) -> None:
        self.is_cut = True


def seated(among: Connections, person: int) -> tuple[Seat, Transport]:
    transport = Transport()
    seat = among.enter(cast("Any", transport), "10.0.0.1")
    assert seat.belongs_to(person)
    return seat, transport


def test_where_people_have_too_many_whoever_has_most_loses_the_oldest() -> None:
    among = Connections(Shares(person=4, people=8))
    greedy = [seated(among, person) for person in (1, 2) for _ in range(4)]
    _, late = seated(among, 3)
    _, later = seated(among, 4)
    assert not late.is_cut
    assert not later.is_cut
    assert [each.is_cut for _, each in greedy] == [True, False, False, False] * 2
    assert len(among) == 8


def test_one_who_has_too_many_is_refused() -> None:
    among = Connections(Shares(person=2))
    for _ in range(2):
        seated(among, 1)
    assert not among.enter(cast("Any", Transport()), "10.0.0.1").belongs_to(1)


def test_what_is_found_out_about_a_connection_that_ended_does_not_count() -> None:
    among = Connections(Shares(person=2))
    for _ in range(5):
        seat = among.enter(cast("Any", Transport()), "10.0.0.1")
        seat.leave()
        assert seat.belongs_to(1)
    assert len(among) == 0
    seat, _ = seated(among, 1)
    seat.leave()
    seat.leave()
    assert len(among) == 0


async def test_all_clients_may_come_back_at_once_and_only_the_still_are_cut() -> None:
    """What they sent has not been read yet when the last of them is there."""
    among = Connections(Shares(strangers=20, address=4))
    there = [(among.enter(cast("Any", each), "10.0.0.1"), each) for each in transports(7)]
    for seat, _ in there[:3]:
        assert seat.belongs_to(1)
    assert not any(each.is_cut for _, each in there)
    still = [(among.enter(cast("Any", each), "10.0.0.2"), each) for each in transports(9)]
    assert [each.is_cut for _, each in still] == [True] + [False] * 8, "far too many"
    async with asyncio.timeout(10):
        while sum(not each.is_cut for _, each in still) > 4:
            await asyncio.sleep(0.05)
            still[5][0].moved()
    assert not still[5][1].is_cut
    assert not any(each.is_cut for _, each in there)


async def test_one_on_which_something_waits_to_be_read_is_not_cut_while_others_are_still() -> None:
    """A crowd connects from the address of somebody whose request has come, and has not been read yet."""
    among = Connections(Shares(strangers=20, address=4))
    with ExitStack() as open_sockets:
        pairs = [socket.socketpair() for _ in range(12)]
        for each in (each for pair in pairs for each in pair):
            open_sockets.enter_context(each)
        there = [Transport(ours) for ours, _ in pairs]
        pairs[0][1].sendall(b"GET / HTTP/1.1\r\n")
        for each in there:
            among.enter(cast("Any", each), "10.0.0.1")
        assert [each.is_cut for each in there] == [False] + [True] * 4 + [False] * 7
        for _, theirs in pairs:
            theirs.sendall(b"GET")
        among.enter(cast("Any", Transport()), "10.0.0.1")
        assert there[0].is_cut, "all of them wait to be read"


def transports(count: int) -> list[Transport]:
    return [Transport() for _ in range(count)]
