"""A stream may break off after any byte: then there is one clear end, and no tool call from half a JSON.

A recording of up to 16 kB is cut at every byte, a longer one at 400 places; `BOTTEGA_HUNT=long` cuts
all of them at every byte.
"""

import pickle
from collections.abc import Iterator, Sequence

import pytest

from bottega.messages.block import tool_uses
from bottega.providers.http.sse import Splitter
from bottega.providers.provider import Decoder, Failed, Finished, StreamEvent
from bottega.providers.wires import wire
from tests.hunt import examples
from tests.providers.recordings import (
    KINDS,
    RECORDINGS,
    Recording,
    check_shape,
    needs_recordings,
    play,
)

SMALL = 20_000
SAMPLES = examples(400, 8_000)

EACH_BODY_ONCE = list({(r.kind, r.body): r for r in RECORDINGS}.values())


def cut_points(size: int) -> Sequence[int]:
    if size <= SMALL:
        return range(size + 1)
    return sorted({size * place // SAMPLES for place in range(SAMPLES + 1)})


class Player:
    """Plays a body once; at any point a copy of it can be brought to its end."""

    def __init__(self, recording: Recording) -> None:
        self._decoder: Decoder = wire(recording.kind).decoder(recording.wire_request)  # type: ignore[arg-type]
        self._splitter = Splitter()
        self._saved = b""
        self.events: list[StreamEvent] = []

    def feed(self, piece: bytes) -> None:
        for name, data in self._splitter.feed(piece):
            self.events += self._decoder.step(name, data)
            self._saved = b""

    def cut_here(self) -> list[StreamEvent]:
        """What would follow if the body ended now."""
        self._saved = self._saved or pickle.dumps(self._decoder)
        decoder: Decoder = pickle.loads(self._saved)
        splitter: Splitter = pickle.loads(pickle.dumps(self._splitter))
        tail: list[StreamEvent] = []
        for name, data in splitter.end():
            tail += decoder.step(name, data)
        tail += decoder.end()
        return tail


def cuts(recording: Recording) -> Iterator[tuple[int, Player, list[StreamEvent]]]:
    body, player, before = recording.body.encode(), Player(recording), 0
    for cut in cut_points(len(body)):
        player.feed(body[before:cut])
        before = cut
        yield cut, player, player.cut_here()


def calls_in(end: StreamEvent) -> list[tuple[str, str]]:
    content = end.content if isinstance(end, Finished) else ()
    return [(use.name, repr(use.input)) for use in tool_uses(content) if not use.malformed]


def ends_in(events: Sequence[StreamEvent]) -> list[StreamEvent]:
    return [event for event in events if isinstance(event, Finished | Failed)]


@needs_recordings
@pytest.mark.fuzz
@pytest.mark.requirement("A24", "A25")
@pytest.mark.parametrize("recording", EACH_BODY_ONCE, ids=lambda r: r.name)
def test_a_stream_cut_at_any_byte_has_one_end_and_no_half_call(recording: Recording) -> None:
    whole = calls_in(check_shape(play(recording.kind, recording.body.encode())))
    for cut, player, tail in cuts(recording):
        ends = ends_in(player.events) or ends_in(tail)
        assert len(ends) == 1, cut
        assert ends[0] is (tail or player.events)[-1], cut
        for call in calls_in(ends[0]):
            assert call in whole, cut


@needs_recordings
@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_that_is_brought_to_its_end_says_what_the_cut_body_says(kind: str) -> None:
    recording = min((r for r in EACH_BODY_ONCE if r.kind == kind), key=lambda r: len(r.body))
    body = recording.body.encode()
    for cut, player, tail in cuts(recording):
        if cut % 97 == 0:
            played = play(kind, body[:cut], request=recording.wire_request)
            assert [type(e) for e in player.events + tail] == [type(e) for e in played]


@needs_recordings
@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_cut_in_the_middle_is_worth_another_try(kind: str) -> None:
    for recording in EACH_BODY_ONCE:
        body = recording.body.encode()
        if (
            recording.kind == kind
            and body.count(b"data:") > 4
            and "error" not in recording.expected
        ):
            end = check_shape(play(kind, body[: body.index(b"data:") + 40]))
            assert isinstance(end, Failed)
            assert (end.code, end.retryable) == ("cut_off", True)
            assert end.message.endswith(".")
            assert end.hint
