"""Ways to plant something that git runs, and the git commands of a person who comes by afterwards.

Every plant writes a file into a folder outside when it runs: `CANARY/<way>-<key>`.
"""

import atexit
import os
import pty
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

RUNS = {
    "core.fsmonitor": "{c}",
    "core.pager": "{c}; cat",
    "core.editor": "{c}; true",
    "core.sshCommand": "{c}; false",
    "core.gitProxy": "{s}",
    "core.askPass": "{s}",
    "core.alternateRefsCommand": "{c}",
    "core.hooksPath": "{h}",
    "sequence.editor": "{c}; true",
    "diff.external": "{s}",
    "diff.evil.command": "{s}",
    "diff.evil.textconv": "{s}",
    "filter.evil.clean": "{c}; cat",
    "filter.evil.smudge": "{c}; cat",
    "filter.evil.process": "{c}; false",
    "merge.evil.driver": "{c}; true",
    "merge.default": "evil",
    "alias.st": "!{c}",
    "gpg.program": "{s}",
    "gpg.ssh.program": "{s}",
    "gpg.ssh.defaultKeyCommand": "{s}",
    "gpg.x509.program": "{s}",
    "commit.gpgSign": "true",
    "log.showSignature": "true",
    "credential.helper": "!{c}; true",
    "credential.https://127.0.0.1:9.helper": "!{c}; true",
    "interactive.diffFilter": "{c}; cat",
    "pager.status": "{c}; cat",
    "pager.log": "{c}; cat",
    "pager.diff": "{c}; cat",
    "remote.origin.uploadpack": "{c}; false",
    "remote.origin.receivepack": "{c}; false",
    "remote.origin.vcs": "evil",
    "remote.evil.url": "ext::sh -c '{c}'",
    "url.ext::sh -c '{c}' %S.insteadOf": "https://",
    "protocol.ext.allow": "always",
    "protocol.allow": "always",
    "submodule.evil.update": "!{c}",
    "trailer.evil.command": "{c}",
    "trailer.evil.cmd": "{c}",
    "tar.evil.command": "{c}",
    "uploadpack.packObjectsHook": "{s}",
    "difftool.evil.cmd": "{c}",
    "mergetool.evil.cmd": "{c}",
    "diff.tool": "evil",
    "merge.tool": "evil",
    "web.browser": "evil",
    "browser.evil.cmd": "{c}",
    "man.evil.cmd": "{c}",
    "init.templateDir": "{h}",
    "rebase.editor": "{c}",
    "sendemail.sendmailCmd": "{c}",
    "hook.evil.command": "{c}",
    "hook.evil.event": "pre-commit",
    "include.path": "../planted-settings",
    "includeIf.gitdir:/.path": "../planted-settings",
    "extensions.partialClone": "evil",
    "bisect.evil": "{c}",
    "core.preloadIndex": "{c}",
}
"""Keys of git's settings that name a program, or lead to one; `{c}` is a command line, `{s}` a script, `{h}` hooks."""

FIRST = ("status", "diff HEAD", "add -A", "commit -qm person", "rebase --continue")
VERBS = (
    *("log -p -1", "show", "checkout -q -b person", "stash", "fetch", "st", "merge topic"),
    *("status --short", "diff", "diff --cached", "blame file", "grep x", "branch -a"),
    *("checkout -- .", "commit -qam again", "fetch origin", "pull", "push origin", "ls-remote"),
    *("remote update", "submodule status", "submodule update --init", "gc --auto", "archive HEAD"),
    *("worktree list", "cherry-pick --continue", "commit --amend", "describe --all"),
)


def repository(folder: Path) -> None:
    """A person's, with settings that lead to what is not there yet."""
    shutil.copytree(_made(), folder, symlinks=True, dirs_exist_ok=True)


@cache
def _made() -> Path:
    """Made once, and copied: each is the same."""
    folder = Path(tempfile.mkdtemp(prefix="bottega-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    commands = """
        git init -q -b main; git config user.name P; git config user.email p@example.org
        echo one > file; git add file; git commit -qm one
        git checkout -qb topic; echo two > other; git add other; git commit -qm two; git checkout -q main
        printf '[core] hooksPath = .githooks\\n' >> .git/config
        git config include.path ../.gitconfig-local
        printf '[includeIf "gitdir:**"]\\n\\tpath = \\\\\\n../deep/settings\\n' >> .git/config
        git config extensions.worktreeConfig true
    """
    subprocess.run(["sh", "-ec", commands], cwd=folder, check=True, capture_output=True)
    return folder


def settings(way: str, canary: Path, folder: Path) -> str:
    """Every key that runs a program, as lines of a file of settings."""
    lines: list[str] = []
    for number, (key, value) in enumerate(RUNS.items()):
        mark = f"touch {canary}/{way}-{number}"
        filled = [
            each.format(c=mark, s=f"{folder}/evil/script-{way}", h=f"{folder}/evil/hooks-{way}")
            for each in (key, value)
        ]
        section, _, rest = filled[0].partition(".")
        name, _, variable = rest.rpartition(".")
        title = f'[{section} "{name}"]' if name else f"[{section}]"
        quoted = filled[1].replace("\\", "\\\\").replace('"', '\\"')
        lines += [title, f'\t{variable} = "{quoted}"']
    return "\n".join(lines) + "\n"


def plants(folder: Path, canary: Path, ways: Iterable[str] = ()) -> str:
    """A script for bash that plants something in these ways, or in all, in the repository that is the folder."""
    parts = ["mkdir -p evil; exec 2>/dev/null"]
    chosen = tuple(ways) or tuple(WAYS)
    for way in chosen:
        mark = f"#!/bin/sh\ntouch {canary}/{way}-script-$(basename $0)\ncat\n"
        parts.append(
            f"cat > evil/settings-{way} <<'END'\n{settings(way, canary, folder)}END\n"
            f"cat > evil/script-{way} <<'END'\n{mark}END\n"
            f"mkdir -p evil/hooks-{way}; for hook in {HOOKS}; do cp evil/script-{way} evil/hooks-{way}/$hook; done\n"
            f"chmod -R +x evil/script-{way} evil/hooks-{way}"
        )
    parts += [WAYS[way] for way in chosen]
    parts.append("true")
    return "\n".join(parts).replace("CANARY", str(canary))


HOOKS = (
    "pre-commit post-commit post-checkout post-index-change reference-transaction pre-auto-gc "
    "commit-msg prepare-commit-msg post-merge pre-merge-commit pre-push post-rewrite"
)
_INIT = (
    "git init -q -b main {at}; (cd {at}; echo '* filter=evil diff=evil merge=evil' > .gitattributes;"
    " echo x > file; git -c user.name=E -c user.email=e@e add -A;"
    " git -c user.name=E -c user.email=e@e commit -qm e; echo y > file)"
)
WAYS = {
    "linked": _INIT.format(at="sub") + "; cat evil/settings-linked >> sub/.git/config; git add sub",
    "hooked": _INIT.format(at="hooked")
    + "; cp evil/hooks-hooked/* hooked/.git/hooks/; git add hooked",
    "ignored": "echo build >> .gitignore; mkdir -p build/deep; "
    + _INIT.format(at="build/deep/repo")
    + "; cat evil/settings-ignored >> build/deep/repo/.git/config",
    "bare": "git init -q --bare bare.git; cat evil/settings-bare >> bare.git/config;"
    " cp evil/hooks-bare/* bare.git/hooks/",
    "pointer": _INIT.format(at="pointer")
    + "; mv pointer/.git evil/dir-pointer; echo 'gitdir: ../evil/dir-pointer' > pointer/.git;"
    + " cat evil/settings-pointer >> evil/dir-pointer/config; git add pointer",
    "symlink": _INIT.format(at="symlink")
    + "; mv symlink/.git evil/dir-symlink; ln -s ../evil/dir-symlink symlink/.git;"
    + " cat evil/settings-symlink >> evil/dir-symlink/config; git add symlink",
    "configlink": _INIT.format(at="configlink")
    + "; cat configlink/.git/config evil/settings-configlink > evil/config-link;"
    + " ln -sf ../../evil/config-link configlink/.git/config; git add configlink",
    "commondir": _INIT.format(at="commondir")
    + "; cp -r commondir/.git evil/dir-commondir; cat evil/settings-commondir >> evil/dir-commondir/config;"
    + " rm -r commondir/.git/config commondir/.git/objects commondir/.git/refs;"
    + " echo ../../evil/dir-commondir > commondir/.git/commondir",
    "submodule": "mkdir -p .git/modules; "
    + _INIT.format(at="module")
    + "; mv module/.git .git/modules/module; echo 'gitdir: ../.git/modules/module' > module/.git;"
    + " cat evil/settings-submodule >> .git/modules/module/config; git add module;"
    + " printf '[submodule \"module\"]\\n\\tpath = module\\n\\turl = ./module\\n' > .gitmodules",
    "worktree": "git worktree add -q tree -b tree; cat evil/settings-worktree > .git/worktrees/tree/config.worktree",
    "worktreeconfig": "cat evil/settings-worktreeconfig > .git/config.worktree",
    "include": "cp evil/settings-include .gitconfig-local",
    "includeif": "mkdir -p deep; cp evil/settings-includeif deep/settings",
    "hookspath": "mkdir -p .githooks; cp evil/hooks-hookspath/* .githooks/",
    "remotes": "mkdir -p .git/remotes; printf 'URL: ./bare.git\\n' > .git/remotes/origin",
    "rebase": "mkdir -p .git/rebase-merge; cd .git/rebase-merge; echo refs/heads/main > head-name;"
    " git rev-parse HEAD | tee onto orig-head > /dev/null; touch interactive done; echo 1 > msgnum; echo 1 > end;"
    " printf 'exec %s\\n' \"touch CANARY/rebase-exec\" > git-rebase-todo; cd ../..",
}
"""By name, what bash is given to do."""

FOLDERS = (
    *(".", "sub", "hooked", "build/deep/repo", "bare.git", "pointer", "symlink", "configlink"),
    *("commondir", "module", "tree", "evil/dir-pointer", "evil/dir-symlink"),
)
"""Where the person goes afterwards."""
_ALL = (".", "sub", "bare.git")
APART = ({"include"}, {"includeif"}, {"worktreeconfig"}, {"hookspath", "rebase"})
"""Ways whose settings are for the same repository, so that one may hide another."""


def person(folder: Path, home: Path, *, every: bool) -> None:
    """Run the first verbs in every folder, and every one in some, in a terminal, with a git that is set up plainly."""
    home.mkdir(exist_ok=True)
    (home / ".gitconfig").write_text(
        "[safe]\n\tdirectory = *\n[user]\n\tname = P\n\temail = p@example.org\n"
    )
    moves = "\n".join(
        f"if cd {folder}/{at} 2>/dev/null; then\n"
        + "\n".join(f"git {verb}" for verb in (*FIRST, *(VERBS if every and at in _ALL else ())))
        + "\nfi"
        for at in FOLDERS
    )
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "EDITOR": "true",
        "PAGER": "cat",
        "GIT_TERMINAL_PROMPT": "0",
        "TERM": "dumb",
    }
    ours, theirs = pty.openpty()
    draining = threading.Thread(target=_drain, args=(ours,))
    draining.start()
    done = subprocess.Popen(
        ["sh", "-c", moves], cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    done.wait(120)
    draining.join(20)
    os.close(ours)


def _drain(fd: int) -> None:
    try:
        while os.read(fd, 1 << 16):
            pass
    except OSError:
        return
