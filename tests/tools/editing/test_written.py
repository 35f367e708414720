import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.errors import BadUsage
from bottega.tools.editing.written import EMPTY, plain, written
from bottega.tools.reading import Binary
from tests.hunt import examples

lines = st.lists(
    st.tuples(
        st.text(alphabet="ab é\t\r", max_size=4).map(lambda line: line.rstrip("\r")),
        st.sampled_from(["\n", "\r\n"]),
    ),
    max_size=8,
)
files = st.builds(
    lambda rows, last: "".join(line + end for line, end in rows) + last,
    lines,
    st.text(alphabet="ab", max_size=3),
)
marks = st.sampled_from(
    [
        ("utf-8", b""),
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
    ]
)


@pytest.mark.fuzz
@settings(max_examples=examples(200, 20_000), deadline=None)
@given(text=files, mark=marks)
def test_every_file_of_text_comes_out_as_it_went_in(text: str, mark: tuple[str, bytes]) -> None:
    body = mark[1] + text.encode(mark[0])
    found = written(body, "f")
    assert found.text == plain(text)
    assert found.body() == body


@pytest.mark.fuzz
@settings(max_examples=examples(300, 30_000), deadline=None)
@given(text=files, new=st.text(alphabet="xy\n", max_size=4), places=st.data())
def test_what_is_not_replaced_keeps_its_line_endings(
    text: str, new: str, places: st.DataObject
) -> None:
    found = written(text.encode(), "f")
    size = len(found.text)
    start = places.draw(st.integers(0, size))
    end = places.draw(st.integers(start, size))
    changed = found.replaced([(start, end)], new)
    assert changed.text == found.text[:start] + new + found.text[end:]
    first = found.text.count("\n", 0, start)
    last = found.text.count("\n", 0, end)
    assert len(changed.crlf) == changed.text.count("\n")
    assert changed.crlf[:first] == found.crlf[:first]
    assert changed.crlf[first + new.count("\n") :] == found.crlf[last:]
    if found.crlf and all(found.crlf):
        assert all(changed.crlf), "a file of one kind stays of one kind"
    if not any(found.crlf):
        assert not any(changed.crlf)


@pytest.mark.fuzz
@settings(max_examples=examples(200, 20_000), deadline=None)
@given(
    text=files,
    old=st.text(alphabet="ab\n", min_size=1, max_size=2),
    new=st.text("ab\n", max_size=3),
)
def test_replacing_everywhere_is_replacing_each(text: str, old: str, new: str) -> None:
    found = written(text.encode(), "f")
    changed = found.replaced_all(old, new)
    assert changed.text == found.text.replace(old, new)
    assert len(changed.crlf) == changed.text.count("\n")


def test_new_lines_of_a_mixed_file_end_as_those_beside_them() -> None:
    found = written(b"a\r\nb\r\nc\nd\n", "f")
    assert found.replaced([(1, 1)], "\nx").body() == b"a\r\nx\r\nb\r\nc\nd\n"
    assert found.replaced([(5, 5)], "\nx").body() == b"a\r\nb\r\nc\nx\nd\n"
    assert found.replaced([(8, 8)], "e\n").body() == b"a\r\nb\r\nc\nd\ne\n"
    assert found.replaced([(0, 4)], "x\ny\nz\n").body() == b"x\r\ny\r\nz\r\nc\nd\n"


@pytest.mark.parametrize(
    "body", [b"\x7fELF\0\0", "café".encode("latin-1"), b"\xff\xfe\x00\xd8", b"\xef\xbb\xbf\xff"]
)
def test_what_is_no_certain_text_is_refused(body: bytes) -> None:
    with pytest.raises(Binary):
        written(body, "f")


def test_text_that_no_file_can_hold_is_refused() -> None:
    with pytest.raises(BadUsage, match="no valid character"):
        EMPTY.filled("half \ud800").body()
