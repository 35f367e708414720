"""Which program measures what, for which stack, and how a child process is run for it."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import peers

HERE = Path(__file__).resolve().parent
TIMEOUT = 180


class Failure(Exception):
    """A measured process did not end as it should."""


_ALL_CORES = ("commit", "reads", "sandbox", "prompt", "load", "fan", "served", "studio")


class Task(NamedTuple):
    group: str
    stack: str
    program: str
    measure: str

    @property
    def of_peer(self) -> bool:
        return self.program.startswith("peer_")

    @property
    def core(self) -> int | None:
        """What is measured by the clock, with threads or processes beside each other, may have every core."""
        return None if self.group in _ALL_CORES else 0


_PEERS = {
    "openai": "peer_openai.py",
    "pydantic-ai": "peer_pydantic_ai.py",
    "openai-agents": "peer_openai_agents.py",
    "langgraph": "peer_langgraph.py",
}

TASKS = (
    Task("stream", "floor", "floor.py", "stream"),
    Task("stream", "bottega", "ours_stream.py", "stream"),
    *(Task("stream", stack, program, "stream") for stack, program in _PEERS.items()),
    Task("durable", "floor", "floor_durable.py", "durable"),
    Task("durable", "bottega", "ours_durable.py", "durable"),
    Task("paced", "floor", "floor_durable.py", "paced"),
    Task("paced", "bottega", "ours_durable.py", "paced"),
    Task("turn", "floor", "floor.py", "turn"),
    Task("turn", "bottega", "ours_turn.py", "turn"),
    *(Task("turn", stack, program, "turn") for stack, program in _PEERS.items()),
    Task("commit", "floor", "floor_durable.py", "commit"),
    Task("commit", "bottega", "ours_log.py", "commit"),
    Task("log", "bottega", "ours_log.py", "log"),
    Task("start", "floor", "startup.py", "floor"),
    Task("start", "bottega", "startup.py", "bottega"),
    *(Task("start", stack, "startup.py", stack.replace("-", "_")) for stack in _PEERS),
    Task("prompt", "bottega", "ours_prompt.py", "prompt"),
    Task("compact", "bottega", "ours_compact.py", "compact"),
    Task("memory", "bottega", "ours_memory.py", "memory"),
    Task("tools", "bottega", "ours_tools.py", "tools"),
    Task("reads", "bottega", "ours_tools.py", "reads"),
    Task("studio", "bottega", "ours_studio.py", "studio"),
    Task("load", "floor", "floor_server.py", "load"),
    Task("load", "bottega", "ours_server.py", "load"),
    Task("fan", "bottega", "ours_server.py", "fan"),
    Task("served", "bottega", "ours_server.py", "idle"),
    Task("served", "bottega", "ours_server.py", "opening"),
    Task("served", "bottega", "ours_server.py", "ready"),
    Task("sandbox", "floor", "commands.py", "floor"),
    Task("sandbox", "bottega", "commands.py", "bottega"),
)
GROUPS = tuple(dict.fromkeys(task.group for task in TASKS))


def run(task: Task, python: str, url: str, quick: bool) -> dict[str, float]:
    """Run the task in a process of its own, alone on the first core; return its figures."""
    command = [
        str(peers.PYTHON) if task.of_peer else python,
        str(HERE / task.program),
        task.measure,
        url,
        "quick" if quick else "full",
    ]
    try:
        with on_core(task.core):
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                env=environment(),
                timeout=TIMEOUT,
                check=False,
            )
    except subprocess.TimeoutExpired:
        raise Failure(f"took longer than {TIMEOUT} s") from None
    if done.returncode:
        raise Failure(" | ".join(done.stderr.strip().splitlines()[-3:]) or "ended without a word")
    return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def on_core(core: int | None) -> Iterator[None]:
    """Processes that are started meanwhile stay on that core, where the system can do that."""
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set[int]()
    if core not in cores:
        yield
        return
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def environment() -> dict[str, str]:
    """Nothing of the caller's settings; this tree's sources first; nobody phones home."""
    scratch = peers.FOLDER / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    return {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "NO_PROXY": "127.0.0.1,localhost",
        "PYTHONPATH": str(peers.ROOT / "src"),
        "BENCH_PEERS_PYTHON": str(peers.PYTHON),
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "LANGSMITH_TRACING": "false",
        "LANGCHAIN_TRACING_V2": "false",
        "DO_NOT_TRACK": "1",
    }
