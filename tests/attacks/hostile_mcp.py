"""An MCP server over its standard output that means harm: `hostile_mcp.py HOW`. Standard library only."""

import json
import os
import sys
import time
from typing import Any

HOW = sys.argv[1]
LARGE = 2_000_000
NOTE: dict[str, Any] = {"level": "info", "data": "x" * LARGE}
SAID: dict[str, dict[str, Any]] = {
    "long id": {"id": "x" * 1_000, "method": "ping"},
    "large number": {"id": 10**1_000, "method": "ping"},
    "large request": {"id": 1, "method": "ping", "params": NOTE},
    "large notification": {"method": "notifications/message", "params": NOTE},
    "large notification of no number": {
        "method": "notifications/message",
        "params": {**NOTE, "a": float("nan")},
    },
}
page = 0


def say(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
    sys.stdout.buffer.write(body + b"\n")
    sys.stdout.buffer.flush()


def tell(method: str, **params: Any) -> None:
    say({"method": method, "params": params})


def listed(kind: str) -> dict[str, Any]:
    """A page of one thing that is described at length, and then another."""
    global page  # noqa: PLW0603
    page += 1
    long = "x" * LARGE + str(page)
    item = {
        "tools": {"inputSchema": {"type": "object"}},
        "resources": {"uri": f"a:{page}", "title": long},
        "resourceTemplates": {"uriTemplate": f"a:{page}", "title": long},
        "prompts": {"arguments": [{"name": "a", "description": long}]},
    }[kind]
    more = {"nextCursor": str(page)} if page % 4 else {}
    if HOW == "cursor":
        more = {"nextCursor": long}
    if HOW == "schemas" and kind == "tools":
        item = {"inputSchema": {"type": "object", "title": long}}
    return {kind: [{"name": f"n{page}", "description": long, **item}], **more}


def progress(token: Any, text: str) -> None:
    tell("notifications/progress", progressToken=token, progress=1, message=text)


def call(token: Any) -> None:
    """Say what is to be said, and then, mostly, never answer."""
    secret = os.environ["SECRET"]
    if HOW in SAID:
        say(SAID[HOW])
    if HOW == "progress":
        near = (secret[:-1] + "!") * (900_000 // len(secret)) + "\U0001f600"
        while True:
            progress(token, near)
    elif HOW == "cut progress":
        for shift in range(40):
            progress(token, "x" * (1_600 - shift * len(secret) // 40) + secret + "y" * 9_000)
    elif HOW == "many":
        for number in range(200):
            say({"id": number, "method": "ping"})
            tell("notifications/cancelled", requestId=number)
    elif HOW in SAID:
        time.sleep(60)


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result: dict[str, Any] = {}
        match message["method"]:
            case "initialize":
                able = {"tools": {}, "prompts": {}, "resources": {}}
                known = {"name": "h" * 1_000, "version": "1"}
                result = {
                    "protocolVersion": "2025-11-25",
                    "capabilities": able,
                    "serverInfo": known,
                }
            case "tools/list" if HOW not in ("pages", "schemas", "cursor"):
                result = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
            case "tools/list":
                result = listed("tools")
            case "resources/list":
                result = listed("resources") if HOW == "pages" else {"resources": []}
            case "resources/templates/list":
                result = {"resourceTemplates": []}
            case "prompts/list":
                result = listed("prompts") if HOW == "pages" else {"prompts": []}
            case "tools/call":
                call(message["params"].get("_meta", {}).get("progressToken"))
                result = {"content": [{"type": "text", "text": "done"}]}
            case _:
                pass
        say({"id": message["id"], "result": result})


main()
