"""Settings in a repository that Python's own reader stumbles over end the program, untold. Severity: low."""

from pathlib import Path

import pytest

from bottega.agents.spec import WrongSpec, read
from bottega.errors import Misconfigured
from bottega.settings import PROJECT_FILE, read_file

LONG = f"temperature = {'9' * 5000}\n"


def test_a_number_of_thousands_of_digits_is_told_like_any_other_fault(tmp_path: Path) -> None:
    (tmp_path / PROJECT_FILE).write_text(LONG)
    with pytest.raises(Misconfigured, match="no valid TOML: a number in it is too long"):
        read_file(tmp_path / PROJECT_FILE)
    with pytest.raises(WrongSpec, match="a number in it is too long"):
        read(LONG, "agent.toml", slug="agent")
