from pathlib import Path

from bottega.workspaces.outputs.live import Live
from bottega.workspaces.outputs.source import Source
from bottega.workspaces.outputs.spool import Spool
from bottega.workspaces.outputs.stream import LATE, LOOKED_AT, Stream


async def test_a_flood_is_known_by_its_ends_and_its_length(tmp_path: Path) -> None:
    shown: list[str] = []
    live = Live(shown.append, "The rest is kept.", 10**9)
    stream = Stream("stdout", live, Spool(tmp_path / "s"))
    whole = b"".join(b"line %07d\n" % n for n in range(1_000_000))
    for at in range(0, len(whole), 100_000):
        stream.show(stream.take(whole[at : at + 100_000]))
    stream.take(b"\x1b[31mthe end\x1b[0m\n")
    stream.finish()
    live.finish()
    ends = stream.glimpse.ends(1_000)
    assert ends.head.startswith("line 0000000\nline 0000001\n")
    assert ends.tail.endswith("line 0999999\nthe end\n")
    assert abs(ends.total - len(whole)) < 100
    assert len(ends.head) + len(ends.tail) + ends.left == ends.total
    assert LOOKED_AT <= sum(map(len, shown)) < LOOKED_AT + 200_000
    assert shown[-1] == "\n[The rest is kept.]\n"
    assert Source(tmp_path / "s").total() == 1_000_001
    stream._spool.close()  # type: ignore[union-attr]


def test_a_little_more_than_is_looked_at_is_still_shown_in_order() -> None:
    stream = Stream("stdout", None)
    stream.take(b"x" * LOOKED_AT + b"\n")
    assert not stream.unfinished
    stream.take(b"a question? ")
    assert stream.unfinished
    stream.finish()
    assert stream.glimpse.ends(100).tail.endswith("xxx\na question? ")
    assert stream.glimpse.total == LOOKED_AT + 1 + len("a question? ")
    assert not stream.unfinished
    assert LATE >= 100_000
