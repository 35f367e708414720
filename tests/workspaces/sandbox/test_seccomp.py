"""The filter, run here as the kernel runs it, on both kinds of machine that it is written for."""

import errno
import struct
from typing import Any

import pytest

from bottega.workspaces.sandbox.walls import seccomp

ALLOWED = "allowed"
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
machines = pytest.mark.parametrize("machine", ARCHITECTURES)
NUMBERS: dict[str, dict[str, int]] = {
    "x86_64": {"read": 0, "openat": 257, "socket": 41, "ioctl": 16, "clone": 56, "unshare": 272},
    "aarch64": {"read": 63, "openat": 56, "socket": 198, "ioctl": 29, "clone": 220, "unshare": 97},
}


def judged(machine: str, number: int, *arguments: int, arch: int = 0, **options: Any) -> str | int:
    """What the filter says to a call: `ALLOWED`, or the error that it ends in."""
    code = seccomp.filter_code(machine=machine, **options)
    steps = list(struct.iter_unpack("=HBBI", code))
    padded = (*arguments, *(0,) * (6 - len(arguments)))
    call = struct.pack("=IIQ6Q", number, arch or ARCHITECTURES[machine], 0, *padded)
    at, held = 0, 0
    while True:
        order, yes, no, value = steps[at]
        at += 1
        if order == 0x20:
            (held,) = struct.unpack_from("=I", call, value)
        elif order == 0x54:
            held &= value
        elif order == 0x06:
            return ALLOWED if value == 0x7FFF0000 else value & 0xFFFF
        else:
            met = {0x15: held == value, 0x25: held > value, 0x45: bool(held & value)}[order]
            at += yes if met else no


@machines
@pytest.mark.parametrize("strict", [False, True])
def test_everyday_calls_are_allowed(machine: str, strict: bool) -> None:
    for name in ("read", "openat"):
        assert judged(machine, NUMBERS[machine][name], strict=strict) == ALLOWED


@machines
def test_calls_of_another_machine_and_calls_yet_to_come_do_not_exist(machine: str) -> None:
    read = NUMBERS[machine]["read"]
    assert judged(machine, read, arch=0x40000003) == errno.ENOSYS
    for number in (467, 1000, 0x40000000 + read, 0xFFFFFFFF):
        assert judged(machine, number) == errno.ENOSYS


@machines
def test_processes_and_threads_are_made_and_spaces_are_not(machine: str) -> None:
    clone, unshare = NUMBERS[machine]["clone"], NUMBERS[machine]["unshare"]
    assert judged(machine, clone, 0x01200011) == ALLOWED
    assert judged(machine, clone, 0x003D0F00) == ALLOWED
    assert judged(machine, unshare, 0x400) == ALLOWED
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert judged(machine, clone, flag | 17) == errno.EPERM
        assert judged(machine, unshare, flag) == errno.EPERM
    assert judged(machine, unshare, 0x80) == errno.EPERM
    assert judged(machine, 435) == errno.ENOSYS


@machines
def test_only_sockets_that_stay_inside_can_be_made(machine: str) -> None:
    number = NUMBERS[machine]["socket"]
    allowed = {family for family in range(64) if judged(machine, number, family, 1, 3) == ALLOWED}
    assert allowed == {2, 10}
    assert judged(machine, number, 16, 3, 0) == ALLOWED
    assert judged(machine, number, 16, 3, 12) == errno.EAFNOSUPPORT
    assert judged(machine, number, 1 << 32 | 17) == errno.EAFNOSUPPORT


@machines
@pytest.mark.parametrize("strict", [False, True])
def test_only_pairs_that_are_connected_for_good_can_be_made(machine: str, strict: bool) -> None:
    number = {"x86_64": 53, "aarch64": 199}[machine]
    for flags in (0, 0o2000000 | 0o4000, 1 << 32):
        allowed = {
            kind
            for kind in range(16)
            if judged(machine, number, 1, kind | flags, strict=strict) == ALLOWED
        }
        assert allowed == {1, 5}


@machines
def test_where_there_are_no_namespaces_there_is_no_socket_at_all(machine: str) -> None:
    number = NUMBERS[machine]["socket"]
    assert {judged(machine, number, family, strict=True) for family in range(64)} == {errno.EPERM}


@machines
def test_nobody_types_into_a_terminal_of_others(machine: str) -> None:
    number = NUMBERS[machine]["ioctl"]
    assert judged(machine, number, 0, 0x5412) == errno.EPERM
    assert judged(machine, number, 0, 0x541C) == errno.EPERM
    assert judged(machine, number, 0, 0xFFFFFFFF00005412) == errno.EPERM
    assert judged(machine, number, 0, 0x5413) == ALLOWED


@machines
def test_limits_of_others_are_left_alone_only_where_it_is_strict(machine: str) -> None:
    number = {"x86_64": 302, "aarch64": 261}[machine]
    assert judged(machine, number, 0, strict=True) == ALLOWED
    assert judged(machine, number, 42, strict=True) == errno.EPERM
    assert judged(machine, number, 42) == ALLOWED


def test_a_machine_that_it_is_not_written_for_has_none() -> None:
    assert not seccomp.knows("riscv64")
    with pytest.raises(KeyError):
        seccomp.filter_code(machine="riscv64")


PRIORITIES = {"x86_64": (141, 251), "aarch64": (140, 30)}


@machines
def test_without_namespaces_a_program_changes_no_priority_but_its_own(machine: str) -> None:
    for number, process in zip(PRIORITIES[machine], (0, 1), strict=True):
        assert judged(machine, number, process, 0, 5, strict=True) == ALLOWED
        assert judged(machine, number, process, 77, 5, strict=True) == errno.EPERM
        for group in (process + 1, process + 2):
            assert judged(machine, number, group, 0, 5, strict=True) == errno.EPERM
        assert judged(machine, number, 2, 0, 5) == ALLOWED
