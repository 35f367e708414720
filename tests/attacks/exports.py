"""Exports as an attacker writes them: what the log claims is his to choose, and so is every name in it."""

import base64
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Fact = tuple[str, dict[str, Any]]
AT = 1_700_000_000_000


def blob(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def deleted(path: str, content: bytes, mode: int = 0o755) -> dict[str, Any]:
    """A write that claims: this file was there, and the session removed it."""
    return {"path": path, "before": blob(content), "after": "", "mode": mode}


def exchange(*facts: Fact) -> list[Fact]:
    """A prompt, what the attacker claims came of it, and its end."""
    end = {"success": True, "completion_reason": "no_more_actions", "stop_reason": "end_turn"}
    return [
        ("prompt_queued", {"content": [{"type": "text", "text": "go"}]}),
        ("user_message", {"content": [{"type": "text", "text": "go"}]}),
        *facts,
        (
            "exchange_response",
            {**end, "iterations": 1, "usage": {}, "cost": 0, "final_response": "done"},
        ),
    ]


def export(file: Path, facts: Iterable[Fact], blobs: Iterable[bytes] = (), **about: Any) -> Path:
    """Write the export to a file."""
    rows = [
        [index, {"type": kind, "at": AT + index, "data": data, "message_id": "m1"}]
        for index, (kind, data) in enumerate(facts, 1)
    ]
    session = {
        **{"id": "ses_theirs", "title": "theirs", "model": "", "agent": "assistant"},
        **{"created_at": AT, "updated_at": AT, "needs": 1, "last_index": len(rows), **about},
    }
    kept = [{"blob": blob(each), "data": base64.b64encode(each).decode()} for each in blobs]
    lines = [{"bottega": 1, "session": session}, *rows, *kept]
    file.write_text("".join(f"{_compact(line)}\n" for line in lines))
    return file


def _compact(value: Any) -> str:
    """As the real ones are written: what reads a log looks at how its lines begin."""
    return json.dumps(value, separators=(",", ":"))
