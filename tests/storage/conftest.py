from pathlib import Path

import pytest

from bottega.storage.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home", patience=0.1)
