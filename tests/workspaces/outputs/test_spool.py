"""What is kept of an output, and read again: both sides of the segments."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.workspaces.outputs.part import part, tail
from bottega.workspaces.outputs.source import LONGEST, Source
from bottega.workspaces.outputs.spool import Spool

KIB = 1024


def spooled(folder: Path, *chunks: bytes, head: int = 64 * KIB, end: int = 64 * KIB) -> Spool:
    spool = Spool(folder, head, end)
    for each in chunks:
        spool.write(each)
    spool.close()
    return spool


def on_disk(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())


def test_a_short_output_is_kept_byte_for_byte(tmp_path: Path) -> None:
    spool = spooled(tmp_path / "s", b"raw \x1b[31mred\r\n\x00\xff", b"more")
    assert list(Source(tmp_path / "s").read(0)) == [(0, b"raw \x1b[31mred\r\n\x00\xffmore")]
    assert (spool.size, spool.lines, spool.dropped) == (20, 1, 0)


def test_a_silent_program_leaves_no_file(tmp_path: Path) -> None:
    spooled(tmp_path / "s").close()
    assert not (tmp_path / "s").exists()
    assert Source(tmp_path / "s").total() == 0
    assert list(Source(tmp_path / "s").lines()) == []


def test_of_a_long_output_the_first_and_the_last_part_stay_and_the_middle_is_counted(
    tmp_path: Path,
) -> None:
    lines = [f"line {n}\n".encode() for n in range(1, 100_001)]
    whole = b"".join(lines)
    spool = Spool(tmp_path / "s", 64 * KIB, 64 * KIB)
    for at in range(0, len(whole), 5_000):
        spool.write(whole[at : at + 5_000])
        assert on_disk(tmp_path / "s") <= 128 * KIB, "never more than the cap, at no time"
    spool.close()
    read = list(Source(tmp_path / "s").read(0))
    kept = sum(len(chunk) for _, chunk in read)
    assert spool.size == len(whole)
    assert spool.dropped == len(whole) - kept
    assert kept > 110 * KIB
    for offset, chunk in read:
        assert whole[offset : offset + len(chunk)] == chunk


def test_lines_keep_their_numbers_on_both_sides_of_the_gap(tmp_path: Path) -> None:
    spooled(tmp_path / "s", *(f"line {n}\n".encode() for n in range(1, 100_001)))
    source = Source(tmp_path / "s")
    assert source.total() == 100_000
    assert part(source, 5, 6).text == "line 5\nline 6"
    assert part(source, 99_000, 99_001).text == "line 99000\nline 99001"
    assert tail(source, 2).text == "line 99999\nline 100000"
    found = list(source.lines())
    gaps = [line for line in found if line.gap]
    assert len(gaps) == 1, "the one place where something is missing is known"
    whole = [line for line in found if not line.gap][:-1]
    cut = found[found.index(gaps[0]) - 1]
    assert all(line.content == b"line %d" % line.number for line in whole if line != cut)
    middle = part(source, 50_000, 50_001)
    assert (middle.first, middle.text) == (0, ""), "a dropped line is not another one"


def test_a_part_says_where_there_was_no_room_for_more(tmp_path: Path) -> None:
    spooled(tmp_path / "s", *(b"%03d " % n + b"x" * 96 + b"\n" for n in range(1, 201)))
    source = Source(tmp_path / "s")
    found = part(source, 11, 200, room=1_000)
    assert (found.first, found.last, found.more) == (11, 19, True)
    assert len(found.text) <= 1_000
    found = tail(source, 100, room=1_000)
    assert (found.first, found.last, found.more) == (192, 200, True)
    found = part(source, 199, 500)
    assert (found.first, found.last, found.more) == (199, 200, False)


def test_a_long_line_is_shown_by_its_beginning_and_its_length_is_told(tmp_path: Path) -> None:
    spooled(
        *(tmp_path / "s", b"before\n", b"x" * 300_000 + b"\nafter\n"), head=400 * KIB, end=64 * KIB
    )
    source = Source(tmp_path / "s")
    lines = list(source.lines())
    assert [(each.number, len(each.content), each.left) for each in lines] == [
        (1, 6, 0),
        (2, LONGEST, 300_000 - LONGEST),
        (3, 5, 0),
    ]
    shown = part(source, 2, 3).text
    assert shown == "x" * 2_000 + " [… 298,000 more in this line]\nafter"


def test_what_still_comes_can_be_read_from_a_cursor(tmp_path: Path) -> None:
    spool = spooled(tmp_path / "s", b"abc")
    source = Source(tmp_path / "s")
    assert list(source.read(0)) == [(0, b"abc")]
    spool.write(b"def")
    spool.close()
    assert list(source.read(1)) == [(1, b"bc"), (3, b"def")]
    assert list(source.read(6)) == list(source.read(2**53 - 1)) == []
    assert source.total() == 1


def test_a_disk_that_takes_no_more_ends_the_keeping_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    spool = spooled(tmp_path / "file" / "s", b"one\n", b"two\n")
    assert spool.failed == "Not a directory"
    assert (spool.size, spool.lines, spool.dropped) == (8, 2, 8)
    spool.close()


def test_bytes_in_memory_and_a_single_file_are_read_as_segments_are(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"one\ntwo\nthree")
    for source in (Source(b"one\ntwo\nthree"), Source(tmp_path / "file")):
        assert source.total() == 3
        assert part(source, 2, 9).text == "two\nthree"
        assert list(source.read(4)) == [(4, b"two\nthree")]
    assert Source(b"").total() == 0
    assert Source(tmp_path / "file" / "deeper").total() == 0


@given(
    st.lists(st.binary(max_size=300).map(lambda b: b.replace(b"\x00", b"\n")), max_size=30),
    st.integers(1, 30),
)
@settings(max_examples=100, deadline=None)
def test_every_kept_line_is_the_one_of_its_number(
    tmp_path_factory: "object", chunks: list[bytes], first: int
) -> None:
    folder = tmp_path_factory.mktemp("spool")  # type: ignore[attr-defined]
    spool = spooled(folder / "s", *chunks, head=1 * KIB, end=1 * KIB)
    whole = b"".join(chunks)
    true = dict(enumerate(whole.split(b"\n"), 1))
    source = Source(folder / "s")
    if not spool.dropped:
        expected = {n: line for n, line in true.items() if n >= first and (line or n < len(true))}
        assert {line.number: line.content for line in source.lines(first)} == expected
    for line in source.lines(first):
        assert line.number >= first
        assert line.content in true[line.number]
    for offset, chunk in source.read(0):
        assert whole[offset : offset + len(chunk)] == chunk
