"""Indexes of git, made byte by byte: as git writes them, and as it reads them without having written them."""

import hashlib
import os
import struct
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HOOK = b".git/hooks/post-checkout"


def git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-c", "safe.directory=*"]
    done = subprocess.run(
        [*command, "-C", str(folder), *arguments], input=given, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def hook(folder: Path, canary: Path, fits: Any = None) -> bytes:
    """The hash of a script that is stored in a repository, and writes a file when it runs."""
    for number in range(1 << 20):
        script = f"#!/bin/sh\ntouch {canary}/ran\n# {number}\n".encode()
        if fits is None or fits(script):
            return bytes.fromhex(git(folder, "hash-object", "-w", "--stdin", given=script))
    raise AssertionError


def entry(
    name: bytes, oid: bytes = bytes(20), mode: int = 0o100755, flags: int | None = None
) -> bytes:
    said = min(len(name), 0xFFF) if flags is None else flags
    made = struct.pack(">10I", 0, 0, 0, 0, 0, 0, mode, 0, 0, 0) + oid + struct.pack(">H", said)
    made += name
    return made + bytes(8 - len(made) % 8)


def extension(mark: bytes, body: bytes) -> bytes:
    return mark + struct.pack(">I", len(body)) + body


def whole(
    entries: Iterable[bytes],
    more: bytes = b"",
    *,
    hash_name: str = "sha1",
    version: int = 2,
    count: int | None = None,
    summed: bool = True,
) -> bytes:
    """All of it: entries, what follows them, and the sum."""
    listed = [*entries]
    size = len(listed) if count is None else count
    body = struct.pack(">4sII", b"DIRC", version, size) + b"".join(listed) + more
    total = hashlib.new(hash_name, body).digest()
    return body + (total if summed else bytes(len(total)))


def hides_by_length(oid: bytes) -> bytes:
    """The first entry ends where its flags say, past one that a reader of names would find in it."""
    inner = entry(b"-a.txt", oid) + entry(b"b.txt", oid)
    length = len(inner) - 62
    while (62 + length) % 8:
        length += 1
    first = inner[:60] + struct.pack(">H", length) + inner[62:]
    first += bytes((62 + length + 8) // 8 * 8 - len(first))
    return whole([first, entry(HOOK, oid)])


def hides_by_table(oid: bytes, harmless: int = 4) -> bytes:
    """A table of offsets leads threads to an entry that lies behind the others."""
    entries = [entry(b"a%05d" % number, oid, 0o100644) for number in range(harmless)]
    hidden = 12 + sum(map(len, entries))
    pairs = ((hidden, 1), (12 + len(entries[0]), harmless - 1))
    table = extension(
        b"IEOT", struct.pack(">I", 1) + b"".join(struct.pack(">II", *each) for each in pairs)
    )
    end = hidden + len(entry(HOOK, oid))
    mark = extension(b"EOIE", struct.pack(">I", end) + hashlib.sha1(table[:8]).digest())
    return whole(entries, entry(HOOK, oid) + table + mark)


def split(folder: Path, oid: bytes) -> None:
    """An index that says nothing, and the one that it is based on, which names a hook."""
    base = whole([entry(HOOK, oid)])
    (folder / f"sharedindex.{base[-20:].hex()}").write_bytes(base)
    nothing = bytes.fromhex("0000000000000001000000000000000000000000")
    (folder / "index").write_bytes(whole([], extension(b"link", base[-20:] + nothing * 2)))


def sha256_worktree(folder: Path, canary: Path) -> None:
    """A repository with long hashes, whose work tree elsewhere has an index; read with short ones it is harmless."""
    git(folder.parent, "init", "-q", "--object-format=sha256", folder.name)
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    git(folder, "worktree", "add", "-q", "w")

    def fits(script: bytes) -> bool:
        oid = hashlib.sha256(b"blob %d\0" % len(script) + script).digest()
        return not oid[20] & 0x40 and b"\0" not in oid[22:] and b"/" not in oid[22:]

    oid = hook(folder, canary, fits)
    place = folder / ".git" / "worktrees" / "w"
    (place / "index").write_bytes(whole([entry(b"../" + HOOK, oid)], hash_name="sha256"))
    (folder / "w" / ".git").write_text("gitdir: ../.git/worktrees/w\n")
    (place / "commondir").write_text("../..\n")


def checks_out(folder: Path, *settings: str) -> None:
    """What a person does who comes by."""
    quiet = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    command = ["git", "-c", "safe.directory=*", *settings, "checkout", ":/"]
    subprocess.run(command, cwd=folder, env=quiet, check=False, capture_output=True)
