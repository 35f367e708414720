"""Run slots: who may begin something now."""

import pytest

from bottega.workers.slots import ASSURED, Slots

HOST, GUEST, THIRD = 1, 2, 3


def test_whoever_is_alone_may_have_every_slot() -> None:
    counted = Slots(64).count([], [])
    for _ in range(64):
        assert counted.has_place(HOST)
        counted.take(HOST)
    assert not counted.has_place(HOST)


def test_where_there_are_others_one_person_leaves_a_quarter_to_them() -> None:
    counted = Slots(64, lambda: True).count([], [])
    taken = 0
    while counted.has_place(GUEST):
        counted.take(GUEST)
        taken += 1
    assert taken == 48
    assert all(counted.has_place(HOST) and counted.take(HOST) is None for _ in range(16))


def test_a_first_prompt_is_taken_even_where_all_slots_are() -> None:
    full = [GUEST] * 48 + [THIRD] * 16
    counted = Slots(64, lambda: True).count(full, full)
    for _ in range(ASSURED):
        assert counted.is_assured(HOST)
        counted.take(HOST)
    assert not counted.has_place(HOST)
    assert not counted.has_place(GUEST)


def test_what_only_waits_holds_no_slot_but_is_bounded() -> None:
    slots = Slots(4, lambda: True)
    assert slots.count([GUEST] * 11, []).has_place(GUEST)
    assert not slots.count([GUEST] * 12, []).has_place(GUEST)
    assert slots.count([GUEST] * 12, []).has_place(HOST)


@pytest.mark.parametrize("room", [1, 2, 3, 7, 8, 64])
def test_however_few_slots_there_are_everybody_has_one(room: int) -> None:
    counted = Slots(room, lambda: True).count([], [])
    for person in (HOST, GUEST, THIRD):
        assert counted.has_place(person)
        counted.take(person)
