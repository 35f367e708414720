"""Programs that do more than their name tells: they run, or write, what their words say.

No list of them is ever whole: it keeps patterns from covering the well-known ones, and the sandbox holds the rest.
"""

from collections.abc import Sequence

from bottega.approvals.shell.options import is_harmless


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RUNNERS = _words(
    # shells, and what a shell would be asked for
    "ash bash busybox csh dash elvish fish ksh mksh nu pwsh rbash sh tcsh toybox xonsh yash zsh "
    # a command in other circumstances
    "bwrap chroot chrt coproc direnv doas env fakeroot firejail flock gosu ionice nice nohup nsenter numactl pkexec "
    "prlimit proot rlwrap runcon runuser script setarch setpriv setsid sg start-stop-daemon stdbuf strace ltrace su "
    "sudo systemd-run taskset time timeout torsocks unbuffer unshare valgrind xvfb-run perf "
    # a command many times, later or elsewhere
    "ansible at batch crontab entr mosh nc ncat netcat parallel rsh scp screen sftp socat ssh sshpass telnet tmux "
    "watch watchexec xargs bunx npx pipx uvx nix-shell "
    # a language that can run commands, or a way out to a shell
    "awk dc ed emacs ex expect gawk gdb less lldb m4 man mawk more nano nvim psql sed sqlite3 vi view vim "
    # any file
    "tee"
)

BUILTINS = _words(
    ". [ [[ alias bg bind break builtin caller command compgen complete compopt continue declare dirs disown enable "
    "eval exec exit export fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd read "
    "readarray readonly return set shift shopt source suspend test times trap type typeset ulimit umask unalias "
    "unset wait"
)
"""The shell's own: they change what later words mean, or evaluate text. Not here: echo, cd, pwd, true, false, `:`."""

INTERPRETERS = _words(
    "bun deno groovy guile java jshell julia lua luajit node nodejs osascript perl php pypy python racket Rscript "
    "ruby scala tclsh"
)
"""They take code from an option or from their input. A version may follow the name."""

_SUBCOMMANDS = {
    "bun": "x create exec",
    "bundle": "exec config",
    "cargo": "run install",
    "cmake": "-E -P",
    "conda": "run",
    "deno": "eval repl",
    "docker": "run exec compose build buildx container",
    "git": "bisect config credential daemon difftool filter-branch hook mergetool send-email shell submodule",
    "go": "run generate tool env",
    "hatch": "run shell",
    "ip": "netns vrf",
    "kubectl": "exec run debug edit",
    "nix": "run shell develop eval",
    "npm": "exec x explore config set init create",
    "pipenv": "run shell",
    "pnpm": "exec dlx create config",
    "podman": "run exec compose build container unshare",
    "poetry": "run shell config",
    "rails": "runner r console c",
    "uv": "run tool",
    "yarn": "exec dlx create config node",
}
_RUN_BY = {name: _words(words) for name, words in _SUBCOMMANDS.items()}
"""Of these programs, what runs something that stands in further words."""

_FIND = _words("-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls")


def program(name: str) -> str:
    """A program's name without its folder."""
    return name.rpartition("/")[2]


def runs(words: Sequence[str]) -> bool:
    """It runs or evaluates more than its name and subcommand tell, so no pattern covers it."""
    name = program(words[0])
    if name in RUNNERS or name in BUILTINS:
        return True
    if not _RUN_BY.get(name, frozenset()).isdisjoint(words[1:]):
        return True
    if _is_interpreter(name):
        return _takes_code(words[1:])
    return not _FIND.isdisjoint(words[1:])


def widens(words: Sequence[str], at: int) -> bool:
    """The word there, where a pattern says only `*`, would let the program do more than what it is known for."""
    name = program(words[0])
    if at == 0:
        return False
    if _is_interpreter(name):
        if not _is_for_the_script(words, at):
            return words[at].startswith("-") or not is_harmless("", words, at)
        start = 2 if words[1] == "-m" else 1
        words, at, name = words[start:], at - start, program(words[start])
    return at > 0 and not is_harmless(name, words, at)


def _is_for_the_script(words: Sequence[str], at: int) -> bool:
    """What follows the file or the module that an interpreter runs is no option of the interpreter's."""
    return at > 2 if words[1] == "-m" else at > 1 and not words[1].startswith("-")


def _is_interpreter(name: str) -> bool:
    return name.rstrip("0123456789.-") in INTERPRETERS


def _takes_code(words: Sequence[str]) -> bool:
    """No file and no module is named that would be run: the code stands in an option, or comes from the input."""
    return not words or (words[0].startswith("-") and words[0] not in ("-m", "--version", "-V"))
