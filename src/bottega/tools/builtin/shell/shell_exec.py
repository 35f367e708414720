"""`shell_exec`: a command in an open shell, an answer to a program that asks for one, or keys such as ctrl-c."""

from typing import Any

from bottega.approvals.touch import Touch
from bottega.errors import BadUsage
from bottega.tools.context import Context
from bottega.tools.printed import ending, kept, note_undone, offline, printed
from bottega.tools.tool import Outcome, Tool, success
from bottega.workspaces.confine import Root
from bottega.workspaces.shells.keys import KEYS, STOPPING
from bottega.workspaces.shells.reply import Reply
from bottega.workspaces.shells.shell import Shell

_TIMEOUT = 60


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    opened = context.shells.get(context.root.path, context.person, arguments["session_id"])
    shell, command = opened.shell, arguments.get("command", "")
    seconds = arguments.get("timeout", _TIMEOUT)
    if "\0" in command:
        raise BadUsage("The command holds a NUL character, which no shell can read.")
    if _is_command(arguments):
        reply = await shell.run(command, seconds, context.emit_output)
    else:
        reply = await shell.send(_typed(arguments, shell), seconds, context.emit_output)
    result = _result(reply, shell)
    note_undone(result, await shell.undone())
    if not opened.network and (hint := offline(command, reply.exit_code, {"": result["output"]})):
        result["hint"] = hint.replace("run it again with", "open another shell with")
    return success(result)


def _is_command(arguments: dict[str, Any]) -> bool:
    if not arguments.get("input"):
        if "command" in arguments and "keys" in arguments:
            raise BadUsage(
                "Keys go to what already runs: use them without a command, or with input."
            )
        return "command" in arguments
    return False


def _typed(arguments: dict[str, Any], shell: Shell) -> str:
    text = arguments["command"] + shell.enter if "command" in arguments else ""
    return text + "".join(KEYS[name] for name in arguments.get("keys", ()))


def _result(reply: Reply, shell: Shell) -> dict[str, Any]:
    where = "The rest went with the shell." if reply.ended else kept(shell.id)
    notes: list[str] = []
    result: dict[str, Any] = {"exit_code": None}
    if reply.exit_code is not None:
        result["exit_code"], words = ending(reply.exit_code)
        notes += [words] if words else []
    result |= printed({"output": reply.output}, {"output": where})
    if reply.running and shell.speaks:
        result["running"] = True
        notes.append(_ASKS if reply.waiting else _WORKS)
    if reply.waiting:
        result["waiting_for_input"] = True
    if reply.ended:
        result["closed"] = True
        notes.append("The shell has ended with this. shell_open opens another.")
    result["duration_ms"] = round(reply.seconds * 1000)
    return result | ({"note": " ".join(notes)} if notes else {})


_ASKS = "The program waits for input. Call shell_exec with input: true and the answer as command, or with keys."
_WORKS = "It still runs. Call shell_exec without a command to wait for it, or with keys: ['ctrl-c'] to stop it."


def touch(arguments: dict[str, Any], root: Root) -> Touch:
    pressed = [f"<{name}>" for name in arguments.get("keys", ()) if name not in STOPPING]
    return Touch(
        shell=arguments["session_id"], command=arguments.get("command", "") + "".join(pressed)
    )


SHELL_EXEC = Tool(
    name="shell_exec",
    description=(
        "Run a command in an open shell; gives its output and exit_code. If the program asks for input, the result "
        "says so: answer with input: true. Without a command, wait for what still runs. `keys` presses keys, such as "
        "ctrl-c."
    ),
    schema={
        "type": "object",
        "properties": {
            "session_id": {
                "type": "string",
                "minLength": 1,
                "maxLength": 100,
                "description": "The session_id that shell_open gave.",
            },
            "command": {
                "type": "string",
                "maxLength": 100_000,
                "description": "The command; with input, the line that the running program is given.",
            },
            "input": {
                "type": "boolean",
                "description": "Type `command` for the program that runs, as an answer, with a line end.",
            },
            "keys": {
                "type": "array",
                "items": {"enum": list(KEYS)},
                "minItems": 1,
                "maxItems": 100,
                "description": "Keys to press for the program that runs, after the input if there is one.",
            },
            "timeout": {
                "type": "integer",
                "minimum": 1,
                "maximum": 600,
                "description": f"Seconds to wait; {_TIMEOUT} if left out. What runs goes on after it.",
            },
        },
        "required": ["session_id"],
        "additionalProperties": False,
    },
    category="SHELL",
    effects=frozenset({"execute"}),
    run=run,
    touch=touch,
    examples=(
        {"session_id": "sh_0198c0de", "command": "cd web && npm test", "timeout": 300},
        {"session_id": "sh_0198c0de", "command": "yes", "input": True},
        {"session_id": "sh_0198c0de", "keys": ["ctrl-c"]},
    ),
)
