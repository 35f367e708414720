"""A home in which every stored name and text was chosen by an attacker, and the commands that print them."""

import json
import re
import sqlite3
import sys
from pathlib import Path

from tests.attacks.exports import deleted, exchange, export

FORGED = "FORGED-LINE"
ODD = (
    "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x1b\\\x1b]8;;http://evil.example\x1b\\\x1b[2J\x1b[99A\x1b[35;7;53m"
    "\x9b2J\x9d0;owned\x9c\x90q\x9c\x1bc\x07\x08\x7f\x85\u202egpj\u2066\u200b\ufeff\u2028\U000e0041"
)
"""Titles, clipboard, links, cursor, colours, C1, reset, bell, and what hides or turns letters around."""
TEXT = f"said{ODD}\rover"
NAME = f"named{ODD}\n{FORGED}\r{FORGED}"

_OURS = re.compile(r"\x1b\[[0-9;]*m")
_BAD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_THEIRS = ("\x1b[35;7;53m", f"\n{FORGED}")

SERVER = f"""
import json, sys
odd = {TEXT!r}
for line in sys.stdin:
    said = json.loads(line)
    tool = {{"name": "act", "description": odd, "inputSchema": {{"type": "object"}}}}
    info = {{"name": odd, "version": odd}}
    answers = {{
        "initialize": {{"protocolVersion": "2025-06-18", "capabilities": {{"tools": {{}}}}, "serverInfo": info}},
        "tools/list": {{"tools": [tool, {{**tool, "name": odd}}]}},
    }}
    if "id" in said:
        found = answers.get(said["method"])
        kind = {{"result": found}} if found else {{"error": {{"code": -32601, "message": odd}}}}
        print(json.dumps({{"jsonrpc": "2.0", "id": said["id"], **kind}}), flush=True)
"""

DRIVER = """
import json, os, sqlite3, sys
from bottega.cli.main import call

def named(word):  # @2 is the second session
    if not (word[0] == "@" and word[1:].isdigit()):
        return word
    database = sqlite3.connect(os.environ["BOTTEGA_HOME"] + "/bottega.db")
    row = database.execute("SELECT id FROM sessions WHERE n = ?", (int(word[1:]),)).fetchone()
    database.close()
    return row[0] if row else "nothing"

for number, words in enumerate(json.loads(sys.argv[1])):
    sys.stdout.flush(); sys.stderr.flush()
    os.write(1, f"=={number}==\\n".encode())
    try:
        call([named(word) for word in words])
    except SystemExit:
        pass
    sys.stdout.flush(); sys.stderr.flush()
"""


def theirs_in(said: str, *, lines: bool = False) -> list[str]:
    """What of somebody else's a terminal would have obeyed, or shown as a line of ours; `lines` may be theirs."""
    said = said.replace("\r\n", "\n")
    found = [each for each in _THEIRS if each in said and not (lines and each[0] == "\n")]
    return found + _BAD.findall(_OURS.sub("", said))


def furnish(home: Path, folder: Path, scratch: Path, provider: str) -> dict[str, str]:
    """Fill the home, with a provider at that address; what the commands need to name in it."""
    (folder / ".bottega.toml").write_text(_toml(TEXT) + ' = "x"\n')
    (home / "agents").mkdir()
    told = _toml(TEXT)
    (home / "agents" / "evil.toml").write_text(
        f"name = {told}\ndescription = {told}\nsystem_prompt = {told}\n"
    )
    (home / "agents" / "broken.toml").write_text(f"{told} = 1\n")
    (home / "agents" / "b\x1b]0;owned\x07.toml").write_text("x")
    server = scratch / "server.py"
    server.write_text(SERVER)
    (home / "config.toml").write_text(
        f"instructions = {told}\n[mcp.hub]\ncommand = {json.dumps(sys.executable)}\n"
        f"args = [{json.dumps(str(server))}]\nvisible = [{json.dumps(str(server))}]\nenv = {{ X = {told} }}\n"
        f"[mcp.odd]\nurl = {_toml('http://127.0.0.1:9/' + ODD)}\n"
        f"[providers.own]\nbase_url = '{provider}'\n"
    )
    return {"import": str(_export(scratch / "evil.jsonl")), "model": _model(scratch)}


def poison(home: Path, folder: Path) -> None:
    """What no route lets in, but older versions or another program may have stored."""
    database = sqlite3.connect(home / "bottega.db")
    database.execute("UPDATE sessions SET title = ?", (NAME,))
    database.execute("UPDATE sessions SET model = ?, agent = ? WHERE n = 1", (NAME, NAME))
    database.execute(
        "INSERT INTO sessions (id, created_at, updated_at, title, model, agent, folder)"
        " VALUES ('ses_x', 0, 0, ?, ?, ?, ?)",
        (NAME, NAME, NAME, f"{folder}/{NAME}"),
    )
    database.execute("INSERT INTO people (id, name, created_at) VALUES ('per_x', ?, 0)", (NAME,))
    database.execute(
        "INSERT INTO projects (id, owner, name, folder, created_at) VALUES ('prj_x', 2, ?, ?, 0)",
        (NAME, f"/tmp/{NAME}"),
    )
    asked = {"approval_id": "ask_x", "kind": "tool", "tool_id": "t", "tool_name": NAME}
    asked |= {"question": TEXT, "choices": [NAME], "detail": {"reason": TEXT, "folder": NAME}}
    for kind in ("tool", "question", "plan", "limit", "resume", "client"):
        database.execute(
            "INSERT INTO asks (id, session, message_id, kind, tool_id, body, input, created_at)"
            " VALUES (?, 1, 'm1', ?, 't', ?, ?, 0)",
            (
                *(f"ask_{kind}00001", kind),
                json.dumps({**asked, "kind": kind, "approval_id": f"ask_{kind}00001"}).encode(),
                json.dumps({"command": TEXT, "file_path": NAME, "plan": TEXT}).encode(),
            ),
        )
    database.commit()
    database.close()


def _export(file: Path) -> Path:
    use = {"type": "tool_use", "id": "t", "name": NAME, "input": {"command": TEXT, NAME: TEXT}}
    said = [{"type": "reasoning", "text": TEXT}, {"type": "text", "text": f"needle {TEXT}"}, use]
    facts = exchange(
        ("message_start", {"model": NAME, "provider": NAME}),
        ("text_delta", {"text": TEXT}),
        ("assistant_message", {"content": said, "model": NAME, "stop_reason": "tool_use", "notices": [TEXT]}),
        ("tool_result", {"tool_id": "t", "name": NAME, "content": [{"type": "text", "text": TEXT}],
                         "is_error": True, "writes": [deleted(f"sub/{NAME}", TEXT.encode())]}),
        ("todos_changed", {"todos": [{"content": TEXT, "status": "pending"}]}),
        ("conversation_retrying", {"number": 2, "of": 3, "delay_ms": 1, "reason": TEXT}),
        ("error_message", {"message": TEXT, "code": NAME, "hint": TEXT}),
        ("compaction", {"upto": 2, "summary": TEXT}),
        ("child_started", {"tool_id": "t", "session_id": NAME, "agent": NAME, "task": TEXT}),
    )  # fmt: skip
    about = {"title": NAME, "model": NAME, "agent": "assistant"}
    return export(file, facts, [TEXT.encode()], **about)


def _model(scratch: Path) -> str:
    use = {"do": "call", "name": "list_dir", "input": {"path": TEXT}}
    odd = {"do": "call", "name": NAME, "input": {NAME: TEXT}}
    retry = {"do": "retry", "reason": TEXT}
    turns = [
        [{"do": "think", "text": TEXT}, {"do": "say", "text": f"needle {TEXT} " * 20}, use, odd],
        [retry, {"do": "say", "text": f"needle {TEXT} " * 40}],
    ]
    rules = [
        {"when": "<record>", "turns": [[{"do": "say", "text": f"Summary {TEXT}"}]]},
        {"when": "fail", "turns": [[{"do": "fail", "message": TEXT, "hint": TEXT}]]},
    ]
    script = scratch / "hostile.json"
    script.write_text(json.dumps({"turns": turns, "after": "repeat", "rules": rules}))
    return f"scripted/{script}"


def _toml(text: str) -> str:
    letters = (each if each.isalnum() else f"\\U{ord(each):08x}" for each in text)
    return f'"{"".join(letters)}"'
