"""The studio's own tests (Vitest: the fold, the transcript, views by role and text), as one of ours."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"


def test_every_test_of_the_studio_passes() -> None:
    if not (WEB / "node_modules/vitest").is_dir():
        pytest.skip("npm's packages are not installed (make pages)")
    done = subprocess.run(
        [sys.executable, WEB / "build.py", "npm", "run", "test", "--silent"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1", "CI": "1"},
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
