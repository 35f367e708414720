"""An obedient agent: one tool call, made in a session of a real server by a model that plays a script."""

import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from tests.server.api.using import ran
from tests.server.serving import Client


def written(place: Path, *calls: tuple[str, dict[str, Any]]) -> str:
    """A model that makes these calls one after the other, then ends."""
    turns: list[list[dict[str, Any]]] = [
        [{"do": "call", "name": name, "input": given}] for name, given in calls
    ]
    path = place / f"{uuid.uuid4().hex}.json"
    path.write_bytes(msgspec.json.encode([*turns, [{"do": "say", "text": "Done."}]]))
    return f"scripted/{path}"


async def act(
    client: Client, project_id: str, model: str, *, mode: str = "allow"
) -> tuple[str, Sequence[dict[str, Any]]]:
    """The session's id, and the result of each call."""
    session = await client.post(
        "/api/sessions", {"project_id": project_id, "model": model, "mode": mode}
    )
    await ran(client, session["id"], "go")
    page = await client.get(f"/api/sessions/{session['id']}/events", params={"limit": 1000})
    facts = [each for _, each in page["events"] if each["type"] == "tool_result"]
    return session["id"], [each["data"] for each in facts]
