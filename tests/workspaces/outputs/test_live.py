import asyncio

from bottega.workspaces.outputs.live import PAUSE, Live
from bottega.workspaces.outputs.stream import Stream
from tests.workspaces.living import until


def shown(room: int = 1_000) -> tuple[list[str], Live, Stream]:
    emitted: list[str] = []
    live = Live(emitted.append, "The rest is kept.", room)
    return emitted, live, Stream("stdout", live)


def come(stream: Stream, chunk: bytes) -> None:
    stream.show(stream.take(chunk))


async def test_what_comes_is_shown_at_once_even_an_unfinished_line() -> None:
    emitted, live, stream = shown()
    come(stream, b"one\nName: ")
    await until(lambda: emitted)
    assert emitted == ["one\nName: "]
    come(stream, b"Ada\n")
    live.finish()
    assert "".join(emitted) == "one\nName: Ada\n"


async def test_many_small_pieces_become_few_events() -> None:
    emitted, live, stream = shown(100_000)
    began = asyncio.get_running_loop().time()
    for n in range(2_000):
        come(stream, b"%d\n" % n)
        await asyncio.sleep(0)
    took = asyncio.get_running_loop().time() - began
    live.finish()
    assert "".join(emitted) == "".join(f"{n}\n" for n in range(2_000))
    assert len(emitted) <= 2 + took / PAUSE


async def test_a_line_that_is_rewritten_is_shown_again_in_its_last_state() -> None:
    emitted, live, stream = shown()
    come(stream, b"10 %")
    await until(lambda: emitted)
    for n in range(11, 100):
        come(stream, b"\r%d %%" % n)
    come(stream, b"\r100 %\n")
    live.finish()
    assert emitted == ["10 %", "\n100 %\n"]


async def test_an_end_within_a_line_is_shown() -> None:
    emitted, live, stream = shown()
    come(stream, b"no line end")
    await until(lambda: emitted)
    come(stream, b", and more")
    stream.finish()
    live.finish()
    assert "".join(emitted) == "no line end, and more"


async def test_no_more_is_shown_than_a_log_can_bear_and_that_is_said_once() -> None:
    emitted, live, stream = shown(100)
    for _ in range(50):
        come(stream, b"x" * 60 + b"\n")
    live.finish()
    come(stream, b"later\n")
    text = "".join(emitted)
    assert text.startswith("x" * 60)
    assert text.endswith("\n[The rest is kept.]\n")
    assert text.count("The rest is kept") == 1
    assert len(text) == 100 + len("\n[The rest is kept.]\n")
