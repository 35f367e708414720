from hypothesis import given
from hypothesis import strategies as st

from bottega.workspaces.outputs.glimpse import ROOM, Glimpse


def glimpsed(*pieces: str) -> Glimpse:
    glimpse = Glimpse()
    for each in pieces:
        glimpse.add(each)
    return glimpse


def test_a_short_text_is_all_there() -> None:
    assert glimpsed("one ", "two").ends(100) == ("one two", "", 0, 7)
    assert glimpsed().ends(100) == ("", "", 0, 0)


def test_of_a_long_text_the_two_ends_are_there() -> None:
    text = "".join(f"{n:06}" for n in range(100_000))
    ends = glimpsed(*(text[at : at + 777] for at in range(0, len(text), 777))).ends(1_001)
    assert ends.head == text[:500]
    assert ends.tail == text[-501:]
    assert ends.left == len(text) - 1_001
    assert ends.total == len(text)


@given(st.lists(st.text(max_size=40), max_size=20), st.integers(2, 200))
def test_the_ends_are_those_of_the_whole_text(pieces: list[str], limit: int) -> None:
    whole = "".join(pieces)
    ends = glimpsed(*pieces).ends(limit)
    assert len(ends.head) + len(ends.tail) + ends.left == ends.total == len(whole)
    assert whole.startswith(ends.head)
    assert whole.endswith(ends.tail)
    assert ends.left == max(0, len(whole) - limit)


def test_no_more_is_asked_of_it_than_it_has() -> None:
    ends = glimpsed("x" * 3 * ROOM).ends(10 * ROOM)
    assert len(ends.head) + len(ends.tail) == ROOM
