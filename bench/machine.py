"""Where the figures were measured: without it they say nothing."""

import os
import platform
import sqlite3
import subprocess
from importlib.metadata import version
from pathlib import Path

_PEERS = (
    "openai",
    "pydantic-ai-slim",
    "openai-agents",
    "langgraph",
    "langchain-openai",
    "pydantic",
)
_OURS = ("aiohttp", "msgspec", "jsonschema-rs")


def facts(ours: str, peers: str | None) -> dict[str, str]:
    """The machine, the interpreters and the versions that take part."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "kernel": platform.release().partition("-")[0],
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "load at start": " ".join(f"{value:.2f}" for value in os.getloadavg()),
        "beneath": _versions(ours, _OURS),
        "peers": _versions(peers, _PEERS) if peers else "not measured",
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _versions(python: str, names: tuple[str, ...]) -> str:
    """Versions as that interpreter's environment has them."""
    asked = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import machine"
    code = f"{asked}; print(machine.installed({names!r}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def installed(names: tuple[str, ...]) -> str:
    return " ".join(f"{name}=={version(name)}" for name in names)
