"""Whose connections there are, and which are cut where there are too many."""

from typing import Any, cast

from bottega.server.guard.connections import Connections, Seat, Shares


class Transport:
    is_cut = False

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
