"""The program `bottega`: finds the command, and turns whatever goes wrong into one sentence and an exit code.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 a limit was reached, 4 an answer is waited for, 5 somebody else has
answered already, 130 and 143 stopped by a signal.
"""

import os
import sys
from collections.abc import Sequence

import click

from bottega import __version__
from bottega.cli import signs
from bottega.cli.lazy import Entry, Invocation, LazyGroup, ReaderLeft, Stopped, everywhere
from bottega.errors import Problem

_WORK, _SESSIONS, _SETUP = "Work", "Sessions", "Set up"

ENTRIES = {
    name: Entry(f"bottega.cli.commands.{module}", help_, section)
    for section, rows in {
        _WORK: {
            "chat": ("work.chat", "Talk with an agent in this folder."),
            "attach": ("work.attach", "Follow and drive a session of a running server."),
            "serve": ("serve", "Start the server, and open it in a browser."),
            "run": ("work.run", "Run one prompt to its end and print the answer."),
            "asks": ("work.asks", "List what waits for an answer."),
            "approve": ("work.approve", "Answer something that waits."),
            "compact": ("work.compact", "Make room in what a session's model sees."),
            "resume": ("work.resume", "Go on with an exchange that waited for an answer."),
        },
        _SESSIONS: {
            "sessions": ("sessions", "List the sessions."),
            "show": ("show", "Show what was said in a session."),
            "events": ("events", "Print everything that happened in a session."),
            "changes": ("files.changes", "Show what a session changed in its folder."),
            "revert": ("files.revert", "Undo what a session changed in its folder."),
            "search": ("search", "Find words in all sessions."),
            "export": ("export", "Write a session to a file."),
            "import": ("imports", "Read a session from a file that export wrote."),
            "rename": ("rename", "Give a session another title."),
            "delete": ("delete", "Delete a session and all that it holds."),
        },
        _SETUP: {
            "models": ("models", "List the models that can be used now."),
            "keys": ("keys", "Keep, list, test and remove providers' keys."),
            "config": ("config", "Read and change settings."),
            "agents": ("agents.group", "List, show, write and check agents."),
            "people": ("people.group", "Add, list and remove people, and let them in."),
            "mcp": ("tools.mcp", "Add, list, test, approve and remove MCP servers."),
            "projects": (
                "projects.group",
                "List, add and remove the folders that people may work in.",
            ),
            "doctor": ("doctor", "Look at everything that Bottega needs, and say how to mend it."),
            "db": ("db", "Check, back up and trim the database."),
            "completion": ("completion", "Print the script that completes commands in your shell."),
        },
    }.items()
    for name, (module, help_) in rows.items()
}
HIDDEN = {
    "work": Entry("bottega.cli.commands.work.attend", "Run what servers admitted in this home.", "")
}
"""Commands that other commands start."""


def _help_alone() -> None:
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        from bottega.cli.screen.output import out_text

        out_text(context.get_help())


bottega = LazyGroup(
    "bottega",
    entries=ENTRIES,
    hidden_entries=HIDDEN,
    params=everywhere(hidden=False),
    help="A workshop where people work with LLM agents on real projects.\n\n"
    "Start with `bottega chat`. With nothing configured a guide answers; `bottega models` lists who else can.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
    callback=_help_alone,
)
bottega = click.version_option(__version__, message="bottega %(version)s")(bottega)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code."""
    sys.exit(call(sys.argv[1:] if arguments is None else list(arguments)))


def call(arguments: list[str]) -> int:
    """Run one command; return its exit code. Nothing but `SystemExit` of click's completion is raised."""
    signs.install()
    invocation = Invocation()
    try:
        code = bottega.main(arguments, prog_name="bottega", standalone_mode=False, obj=invocation)
        sys.stdout.flush()
    except BaseException as error:  # the one place where nothing may get past
        return _ended(error, invocation)
    return code if isinstance(code, int) else 0


def _ended(error: BaseException, invocation: Invocation) -> int:
    """The exit code of a failure, after its one sentence was said."""
    if isinstance(error, SystemExit):
        raise error
    if isinstance(error, KeyboardInterrupt | Stopped | click.Abort):
        if sys.stderr.isatty():
            _say("")  # so that the next line does not begin behind the `^C`
        return 130
    if isinstance(error, BrokenPipeError | ReaderLeft):
        _let_go_of_stdout()
        return 141
    if invocation.debug:
        import traceback

        _say("".join(traceback.format_exception(error)).rstrip())
    sentence, code = explain(error)
    _say(f"bottega: {sentence}")
    return code


def explain(error: BaseException) -> tuple[str, int]:
    """One clear sentence about a failure, and the exit code that it stands for."""
    if isinstance(error, Problem):
        return str(error), error.exit_code
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return f"This needs a command.\n\n{error.format_message()}", 2
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx else "bottega"
        return f"{_closed(_nearest(error))} See `{path} --help`.", 2
    if isinstance(error, click.ClickException):
        return _closed(error.format_message()), error.exit_code
    if isinstance(error, OSError) and error.errno == 28:
        return "The disk is full. Free some space and run the same command again.", 1
    return (
        f"Something went wrong inside Bottega ({type(error).__name__});"
        " run again with --debug to see where.",
        1,
    )


def _nearest(error: click.UsageError) -> str:
    """What click says, but with the one name that is nearest instead of all that are near."""
    if isinstance(error, click.NoSuchOption | click.exceptions.NoSuchCommand):
        near = error.possibilities or ()
        return error.message + (f" Did you mean {near[0]!r}?" if near else "")
    return error.format_message()


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?", "!", ")")) else f"{sentence}."


def _say(sentence: str) -> None:
    from bottega.cli.screen.output import note_text

    try:
        note_text(sentence)
    except OSError:
        return  # nobody is left to hear it


def _let_go_of_stdout() -> None:
    """Whoever read stdout has left; without this the interpreter would complain when it flushes at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


if __name__ == "__main__":
    main()
