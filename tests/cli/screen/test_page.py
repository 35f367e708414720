"""Tables: what a person types again is never cut, however narrow the screen is."""

import pytest

from bottega.cli.screen.page import Page

HEAD = ("id", "when", "status", "model", "title")
ROWS = [
    ["52aba909", "9 min ago", "idle", "anthropic/claude-sonnet-5-5", "list all files of the house"],
    ["0d7a341c", "just now", "waiting", "guide", "漢字の題名はとても長いです"],
]


@pytest.mark.parametrize("width", [26, 40, 60, 80, 200])
def test_ids_stay_whole_and_the_title_is_the_last_to_go(
    capsys: pytest.CaptureFixture[str], width: int
) -> None:
    page = Page({})
    page.width = width

    page.table(ROWS, HEAD, spare=(3, 1))

    head, *lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["52aba909", "0d7a341c"]
    assert "list" in lines[0]
    assert all(len(line) <= width for line in (head, *lines))
    assert ("model" in head, "when" in head) == (width > 40, width > 26)


def test_a_table_for_a_program_is_whole(capsys: pytest.CaptureFixture[str]) -> None:
    Page({}).table(ROWS, HEAD, spare=(3, 1))

    assert "anthropic/claude-sonnet-5-5  list all files of the house" in capsys.readouterr().out
