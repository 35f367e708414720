"""The kernel's doors that no program in a sandbox needs, as a filter that keeps them shut (seccomp BPF).

Everything else is allowed, but calls that are newer than this list do not exist for programs. `strict` is for where
there are no namespaces: no socket of any kind that leads out, and no hand on processes of others.
"""

import errno
import os
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

VERSION = 4
"""Raised with every change of the filter: what was tested with another one is tested again."""

_X86, _ARM = 0xC000003E, 0xC00000B7
_LOAD, _EQUAL, _ABOVE, _SET, _AND, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x54, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NUMBER, _ARCHITECTURE = 0, 4
_X32 = 0x40000000
_LAST = 466
"""The newest call that was looked at."""

_NAMESPACES = 0x7E020000
_NEW_TIME = 0x80
_TYPED = (0x5412, 0x541C)  # TIOCSTI and TIOCLINUX: words put into somebody's terminal
_INET, _INET6, _NETLINK = 2, 10, 16


class _Call(NamedTuple):
    """The number of a call on both machines; -1: it has none there."""

    x86: int
    arm: int


_SHUT = {
    # Other processes.
    "ptrace": _Call(101, 117),
    "process_vm_readv": _Call(310, 270),
    "process_vm_writev": _Call(311, 271),
    "process_madvise": _Call(440, 440),
    "pidfd_getfd": _Call(438, 438),
    "kcmp": _Call(312, 272),
    "migrate_pages": _Call(256, 238),
    "move_pages": _Call(279, 239),
    # Mounts, roots and namespaces.
    "mount": _Call(165, 40),
    "umount2": _Call(166, 39),
    "pivot_root": _Call(155, 41),
    "chroot": _Call(161, 51),
    "open_tree": _Call(428, 428),
    "move_mount": _Call(429, 429),
    "fsopen": _Call(430, 430),
    "fsconfig": _Call(431, 431),
    "fsmount": _Call(432, 432),
    "fspick": _Call(433, 433),
    "mount_setattr": _Call(442, 442),
    "setns": _Call(308, 268),
    "name_to_handle_at": _Call(303, 264),
    "open_by_handle_at": _Call(304, 265),
    "fanotify_init": _Call(300, 262),
    "quotactl": _Call(179, 60),
    "quotactl_fd": _Call(443, 443),
    # Large and young parts of the kernel.
    "bpf": _Call(321, 280),
    "perf_event_open": _Call(298, 241),
    "userfaultfd": _Call(323, 282),
    "add_key": _Call(248, 217),
    "request_key": _Call(249, 218),
    "keyctl": _Call(250, 219),
    "lookup_dcookie": _Call(212, 18),
    "vmsplice": _Call(278, 75),
    # The machine itself.
    "kexec_load": _Call(246, 104),
    "kexec_file_load": _Call(320, 294),
    "init_module": _Call(175, 105),
    "finit_module": _Call(313, 273),
    "delete_module": _Call(176, 106),
    "reboot": _Call(169, 142),
    "swapon": _Call(167, 224),
    "swapoff": _Call(168, 225),
    "acct": _Call(163, 89),
    "settimeofday": _Call(164, 170),
    "clock_settime": _Call(227, 112),
    "clock_adjtime": _Call(305, 266),
    "adjtimex": _Call(159, 171),
    "syslog": _Call(103, 116),
    "sethostname": _Call(170, 161),
    "setdomainname": _Call(171, 162),
    "vhangup": _Call(153, 58),
    "nfsservctl": _Call(180, 42),
    "iopl": _Call(172, -1),
    "ioperm": _Call(173, -1),
    "modify_ldt": _Call(154, -1),
    "uselib": _Call(134, -1),
    "sysctl": _Call(156, -1),
}
_ABSENT = {
    # Programs have another way where these do not exist.
    "clone3": _Call(435, 435),
    "io_uring_setup": _Call(425, 425),
    "io_uring_enter": _Call(426, 426),
    "io_uring_register": _Call(427, 427),
    "openat2": _Call(437, 437),  # its flags and its mode lie where a filter cannot look
}
_SHARED = {
    # What programs of one user have in common where there are no namespaces.
    "shmget": _Call(29, 194),
    "semget": _Call(64, 190),
    "msgget": _Call(68, 186),
    "mq_open": _Call(240, 180),
}
_OWN = {
    # With 0 for the process they mean the caller itself.
    "prlimit64": _Call(302, 261),
    "sched_setparam": _Call(142, 118),
    "sched_setscheduler": _Call(144, 119),
    "sched_setaffinity": _Call(203, 122),
    "sched_setattr": _Call(314, 274),
}
_PRIORITIES = {
    # What stands for one process; 0 besides, for the caller itself.
    "setpriority": (_Call(141, 140), 0),
    "ioprio_set": (_Call(251, 30), 1),
}
_MODES = {
    # Which argument is the mode.
    "chmod": (_Call(90, -1), 1),
    "fchmod": (_Call(91, 52), 1),
    "fchmodat": (_Call(268, 53), 2),
    "fchmodat2": (_Call(452, 452), 2),
    "mkdir": (_Call(83, -1), 1),
    "mkdirat": (_Call(258, 34), 2),
    "mknod": (_Call(133, -1), 1),
    "mknodat": (_Call(259, 33), 2),
    "creat": (_Call(85, -1), 1),
}
_OPENS = {
    # Which argument is the flags; the mode comes after them, and counts only where a file may be made.
    "open": (_Call(2, -1), 1),
    "openat": (_Call(257, 56), 2),
}
_MAKES = 0o100 | 0o20000000
_SET_ID = 0o6000
"""A program that runs as whoever owns it: outside, that is whoever the sandbox runs as."""
_CLONE, _UNSHARE = _Call(56, 220), _Call(272, 97)
_SOCKET, _PAIR, _IOCTL = _Call(41, 198), _Call(53, 199), _Call(16, 29)
_STREAM, _PACKETS, _KIND = 1, 5, 0xF

Step = tuple[int, int, int, int]
_ALLOWED: Step = (_RETURN, 0, 0, _ALLOW)


def filter_code(*, strict: bool = False, machine: str = "") -> bytes:
    """The filter as the kernel reads it; raises KeyError on a machine it is not written for."""
    steps = list(_steps({"x86_64": 0, "aarch64": 1}[machine or os.uname().machine], strict))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def knows(machine: str) -> bool:
    return machine in ("x86_64", "aarch64")


def _steps(which: int, strict: bool) -> Iterator[Step]:
    yield (_LOAD, 0, 0, _ARCHITECTURE)
    yield (_EQUAL, 1, 0, (_X86, _ARM)[which])
    yield _refuse(errno.ENOSYS)
    yield (_LOAD, 0, 0, _NUMBER)
    yield (_ABOVE, 0, 1, _LAST)  # the other table of numbers of an x86 machine lies above, too
    yield _refuse(errno.ENOSYS)
    for calls, code in ((_SHUT, errno.EPERM), (_ABSENT, errno.ENOSYS)):
        yield from _shut([call[which] for call in calls.values()], code)
    yield from _with_any(_CLONE[which], 0, _NAMESPACES)
    yield from _with_any(_UNSHARE[which], 0, _NAMESPACES | _NEW_TIME)
    for call, mode in _MODES.values():
        yield from _with_any(call[which], mode, _SET_ID)
    for call, flags in _OPENS.values():
        yield from _makes_set_id(call[which], flags)
    yield from _ioctl(_IOCTL[which])
    yield from _pair(_PAIR[which])
    if strict:
        yield from _shut([call[which] for call in _SHARED.values()], errno.EPERM)
        yield from _shut([_SOCKET[which]], errno.EPERM)
        for call in _OWN.values():
            yield from _with_any(call[which], 0, 0xFFFFFFFF)
        for call, process in _PRIORITIES.values():
            own = [(_EQUAL, 0, 3, process), _argument(1), (_EQUAL, 0, 1, 0), _ALLOWED]
            yield from _only(call[which], [_argument(0), *own, _refuse(errno.EPERM)])
    else:
        yield from _socket(_SOCKET[which])
    yield (_RETURN, 0, 0, _ALLOW)


def _refuse(code: int) -> Step:
    return (_RETURN, 0, 0, _ERROR | code)


def _shut(numbers: Sequence[int], code: int) -> Iterator[Step]:
    for number in numbers:
        if number >= 0:
            yield (_EQUAL, 0, 1, number)
            yield _refuse(code)


def _argument(index: int) -> Step:
    """The lower half of an argument: the kernel looks at no more where it expects an int."""
    return (_LOAD, 0, 0, 16 + 8 * index)


def _only(number: int, body: list[Step]) -> Iterator[Step]:
    """Steps for one call; they end in a verdict."""
    yield (_EQUAL, 0, len(body), number)
    yield from body


def _with_any(number: int, index: int, flags: int) -> Iterator[Step]:
    if number < 0:
        return
    verdicts = [(_SET, 0, 1, flags), _refuse(errno.EPERM), (_RETURN, 0, 0, _ALLOW)]
    yield from _only(number, [_argument(index), *verdicts])


def _makes_set_id(number: int, flags: int) -> Iterator[Step]:
    if number < 0:
        return
    allow = (_RETURN, 0, 0, _ALLOW)
    body = [_argument(flags), (_SET, 1, 0, _MAKES), allow, _argument(flags + 1)]
    yield from _only(number, [*body, (_SET, 0, 1, _SET_ID), _refuse(errno.EPERM), allow])


def _ioctl(number: int) -> Iterator[Step]:
    body = [_argument(1)]
    for order in _TYPED:
        body += [(_EQUAL, 0, 1, order), _refuse(errno.EPERM)]
    yield from _only(number, [*body, (_RETURN, 0, 0, _ALLOW)])


def _socket(number: int) -> Iterator[Step]:
    """Programs may talk by ports of the sandbox's own, and ask which interfaces there are.

    No socket of the unix kind: by its path, one that a program outside has in the workspace could be reached.
    """
    body = [_argument(0)]
    for family in (_INET, _INET6):
        body += [(_EQUAL, 0, 1, family), (_RETURN, 0, 0, _ALLOW)]
    body += [(_EQUAL, 1, 0, _NETLINK), _refuse(errno.EAFNOSUPPORT), _argument(2)]
    body += [(_EQUAL, 0, 1, 0), (_RETURN, 0, 0, _ALLOW), _refuse(errno.EAFNOSUPPORT)]
    yield from _only(number, body)


def _pair(number: int) -> Iterator[Step]:
    """Two sockets that are connected to each other for good. One for datagrams could be connected anew, by a path."""
    body: list[Step] = [_argument(1), (_AND, 0, 0, _KIND)]
    for kind in (_STREAM, _PACKETS):
        body += [(_EQUAL, 0, 1, kind), (_RETURN, 0, 0, _ALLOW)]
    yield from _only(number, [*body, _refuse(errno.EAFNOSUPPORT)])
