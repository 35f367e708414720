"""Where a sign cannot be written, the nearest letter is."""

import sys
from io import BytesIO, TextIOWrapper

import pytest

from bottega.cli import signs


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_tick_and_a_cross_stay_apart_where_neither_can_be_written(
    monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    written = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(written, encoding=encoding))

    signs.install()
    print("✓ home ✗ model … 漢", flush=True)

    assert written.getvalue().decode(encoding) == "+ home x model ... ?\n"


def test_an_output_that_is_closed_takes_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)

    signs.install()

    with sys.stdout as output:
        assert output.write("said\n") == 5
