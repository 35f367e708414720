"""How long it takes to start: a process each, from its birth to its end, or until the mock sees its first request."""

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from stopwatch import Figures, main

PEERS = {
    "openai": "import openai; openai.AsyncOpenAI",
    "pydantic_ai": "import pydantic_ai; from pydantic_ai.models.openai import OpenAIChatModel",
    "openai_agents": "import agents",
    "langgraph": "from langchain.agents import create_agent; from langchain_openai import ChatOpenAI",
}
BOTTEGA = str(Path(sys.executable).with_name("bottega"))


def ended(*command: str) -> float:
    """Milliseconds of one process from start to end."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return (time.perf_counter() - begin) * 1e3


def repeated(measure: Callable[[], float], quick: bool) -> float:
    if quick:
        return min(measure() for _ in range(2))
    measure()
    return median(measure() for _ in range(5))


def floor(_: str, quick: bool) -> Figures:
    bare = repeated(lambda: ended(sys.executable, "-c", "pass"), quick)
    return {"start.help": bare, "start.import": bare}


def bottega(url: str, quick: bool) -> Figures:
    imported = "import bottega; bottega.Studio"
    return {
        "start.help": repeated(lambda: ended(BOTTEGA, "--help"), quick),
        "start.import": repeated(lambda: ended(sys.executable, "-c", imported), quick),
        "start.run": repeated(lambda: asked(url), quick),
    }


def asked(url: str) -> float:
    """Milliseconds from the start of `bottega run`, in a home that is there already, to its first request."""
    with TemporaryDirectory() as home:
        settings = {
            "BOTTEGA_HOME": home,
            "OPENAI_BASE_URL": f"{url}/burst-10/v1",
            "OPENAI_API_KEY": "none",
        }
        command = [BOTTEGA, "run", "--model", "openai/mock-1", "Hello"]
        for _ in range(2):
            begin = time.monotonic()
            subprocess.run(command, check=True, capture_output=True, env=os.environ | settings)
        with urllib.request.urlopen(f"{url}/seen") as answer:
            return (json.load(answer)["last_at"] - begin) * 1e3


def peer(statement: str) -> Callable[[str, bool], Figures]:
    python = os.environ.get("BENCH_PEERS_PYTHON", sys.executable)
    return lambda _, quick: {
        "start.import": repeated(lambda: ended(python, "-c", statement), quick)
    }


if __name__ == "__main__":
    main(floor=floor, bottega=bottega, **{name: peer(code) for name, code in PEERS.items()})
