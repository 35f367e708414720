"""`bash_exec`: one command by itself, with its output, its errors and its exit code apart.

It is run once: neither a failure nor a timeout is ever tried again.
"""

import stat
from typing import Any

from bottega.approvals.shell.read import moved
from bottega.approvals.touch import Touch
from bottega.errors import BadUsage, Conflict, Problem
from bottega.tools.context import Context
from bottega.tools.printed import ending, is_cut, note_undone, offline, printed
from bottega.tools.tool import Outcome, Tool, failure, success
from bottega.workspaces.command import Ended, execute
from bottega.workspaces.confine import NotAFolder, Root
from bottega.workspaces.outputs.drain import in_thread
from bottega.workspaces.outputs.outputs import Output
from bottega.workspaces.sandbox.sandbox import Launch

_TIMEOUT = 60
_MOST_BYTES = 120_000
"""The system takes no longer arguments than 128 KiB."""
_BASH = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi'


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    command, network = arguments["command"], arguments.get("network", False)
    seconds = arguments.get("timeout", _TIMEOUT)
    _refuse(command)
    folder = await in_thread(lambda: _folder(context.root, arguments.get("folder") or "."))
    if context.judged and folder != (context.judged.folder or "."):
        raise Conflict(
            f"The folder {folder!r} is another one than when this call was judged.",
            hint="Make the call again.",
        )
    sandbox = await context.sandbox(network=network)
    output = context.outputs.create()
    launch = Launch(("/bin/sh", "-c", _BASH, "sh", command), folder=folder)
    try:
        ended = await execute(
            sandbox, launch, seconds=seconds, output=output, emit=context.emit_output
        )
    except BaseException:
        await in_thread(lambda: output.close(keep=False))
        raise
    keep = is_cut(_streams(ended)) or ended.in_background
    await in_thread(lambda: _settle(ended, output, context, keep=keep))
    result = _result(ended, output, keep=keep)
    note_undone(result, await sandbox.undone())
    if not network and (hint := offline(command, ended.exit_code, _texts(result))):
        result["hint"] = hint
    if ended.exit_code is None:
        message = f"The command did not end within {seconds} seconds. It was ended, with all that it started."
        return failure(message, "TIMEOUT", result)
    return success(result)


def _refuse(command: str) -> None:
    if "\0" in command:
        raise BadUsage("The command holds a NUL character, which no program can be given.")
    try:
        size = len(command.encode())
    except UnicodeEncodeError:
        raise BadUsage("The command is no valid text.") from None
    if size > _MOST_BYTES:
        raise BadUsage(
            f"The command is {size:,} bytes long; the system takes {_MOST_BYTES:,}.",
            hint="Write it into a file, and run that.",
        )


def _folder(root: Root, path: str) -> str:
    if not stat.S_ISDIR(root.stat(path).st_mode):
        raise NotAFolder(f"The path {path!r} names no folder.")
    return root.canonical(path)


def _settle(ended: Ended, output: Output, context: Context, *, keep: bool) -> None:
    if not ended.in_background:
        output.close(keep=keep)
    if keep:
        context.outputs.prune()


def _streams(ended: Ended) -> dict[str, Any]:
    return {"stdout": ended.stdout, "stderr": ended.stderr}


def _texts(result: dict[str, Any]) -> dict[str, str]:
    return {name: result[name] for name in ("stdout", "stderr")}


def _result(ended: Ended, output: Output, *, keep: bool) -> dict[str, Any]:
    notes: list[str] = []
    result: dict[str, Any] = {"exit_code": None}
    if ended.exit_code is None:
        result["timed_out"] = True
    else:
        result["exit_code"], words = ending(ended.exit_code)
        notes += [words] if words else []
    result |= printed(_streams(ended), {name: _kept(output, name) for name in _streams(ended)})
    result["duration_ms"] = round(ended.seconds * 1000)
    if keep:
        result["output_id"] = output.id
    if ended.in_background:
        notes.append(
            "Something was left in the background. It ends with this run; what it prints is kept: read_output."
        )
    if output.dropped and not output.failed:
        notes.append(f"{output.dropped:,} bytes in the middle of the output were not kept.")
    return result | ({"note": " ".join(notes)} if notes else {})


def _kept(output: Output, stream: str) -> str:
    if output.failed:
        return f"It could not be kept: {output.failed}."
    return f"read_output with output_id {output.id!r} and stream {stream!r} has it."


def touch(arguments: dict[str, Any], root: Root) -> Touch:
    command, folder = arguments["command"], root.canonical(arguments.get("folder") or ".")
    return Touch(
        command=command,
        network=arguments.get("network", False),
        folder="" if folder == "." else folder,
        moved=_moved(command, folder, root),
    )


def _moved(command: str, folder: str, root: Root) -> str:
    """Where the command's own `cd` leads; empty: nowhere in the workspace, or nowhere yet."""
    if not (to := moved(command)):
        return ""
    path = to if to.startswith("/") else f"{folder}/{to}"
    try:
        return root.canonical(path) if stat.S_ISDIR(root.stat(path).st_mode) else ""
    except (Problem, OSError):
        return ""


BASH_EXEC = Tool(
    name="bash_exec",
    description=(
        "Run a command with bash in the workspace and wait for its end. Gives exit_code (0 is success), stdout and "
        "stderr. Its input is empty, and each call starts afresh: use shell_open for a program that asks questions, or "
        "where cd and variables should stay. There is no network unless `network` is true."
    ),
    schema={
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "minLength": 1,
                "maxLength": 100_000,
                "description": "What bash is given; several lines are fine.",
            },
            "timeout": {
                "type": "integer",
                "minimum": 1,
                "maximum": 600,
                "description": f"Seconds after which it is ended with all that it started; {_TIMEOUT} if left out.",
            },
            "network": {
                "type": "boolean",
                "description": "It needs the network. Ask only where it does.",
            },
            "folder": {
                "type": "string",
                "maxLength": 4096,
                "description": "Where to run it, from the workspace; the workspace itself if left out.",
            },
            "description": {
                "type": "string",
                "maxLength": 200,
                "description": "What it does, in a few words, for the person who reads along.",
            },
        },
        "required": ["command"],
        "additionalProperties": False,
    },
    category="SHELL",
    effects=frozenset({"execute"}),
    run=run,
    touch=touch,
    examples=(
        {"command": "python -m pytest -q", "timeout": 300, "description": "Run the tests"},
        {"command": "npm install", "network": True, "folder": "web"},
    ),
)
