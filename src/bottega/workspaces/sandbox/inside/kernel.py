"""What is asked of the kernel by plain system calls."""

from __future__ import annotations

import ctypes
import os
import resource
import struct

_DUMPABLE, _NO_NEW_PRIVS, _SECCOMP, _SUBREAPER, _DROP = 4, 38, 22, 36, 24
_RESTRICT_SELF = 446
_CAPABILITIES = 0x20080522
_libc = ctypes.CDLL(None, use_errno=True)


def seal() -> None:
    """No program of the same user may look into this process."""
    _control(_DUMPABLE, 0)


def adopt() -> None:
    """Whatever beneath this process loses its parent becomes its child."""
    _control(_SUBREAPER, 1)


def restrict(ruleset: int, code: bytes) -> None:
    """In a program's own process, just before it becomes the program."""
    for capability in range(64):
        _libc.prctl(_DROP, ctypes.c_ulong(capability), 0, 0, 0)
    _libc.capset(struct.pack("=Ii", _CAPABILITIES, 0), bytes(24))
    _control(_NO_NEW_PRIVS, 1)
    if _libc.syscall(_RESTRICT_SELF, ruleset, 0) != 0:
        raise OSError(ctypes.get_errno(), "landlock")
    held = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(held))
    if _libc.prctl(_SECCOMP, 2, ctypes.c_char_p(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def lower(kind: int, value: int) -> None:
    """Set a limit, never above the one that holds already."""
    _, most = resource.getrlimit(kind)
    value = value if most == resource.RLIM_INFINITY else min(value, most)
    resource.setrlimit(kind, (value, value))


def _control(option: int, value: int) -> None:
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
