"""A program that tries to get out. Run in a sandbox it tells, probe by probe, what it could do there.

It stands alone (`python -I -S attack.py`): what it needs to know comes as JSON on the command line. A probe returns
something true if it got through; an OSError means that it was held. Those marked `outside` are also run without a
sandbox, where they must get through: a probe that cannot succeed anywhere shows nothing.
"""

import ctypes
import errno
import fcntl
import json
import os
import platform
import resource
import signal
import socket
import struct
import sys
import termios
import time

libc = ctypes.CDLL(None, use_errno=True)
ROOT = os.geteuid() == 0
ARM = platform.machine() == "aarch64"
given = {}
PROBES = {}


class Probe:
    def __init__(self, run, outside, gap):
        self.run, self.outside, self.gap = run, outside, gap


def probe(outside=False, gap=""):
    """`gap`: what Landlock cannot stop, by its key in the table of gaps."""

    def add(run):
        PROBES[run.__name__] = Probe(run, outside, gap)
        return run

    return add


def several(names, outside=False, gap=""):
    """One probe for each name, `NAME_EACH`; the function is given the value that the name stands for."""

    def add(run):
        for name, value in names.items():
            made = lambda value=value: run(value)  # noqa: E731
            PROBES[f"{run.__name__}_{name}"] = Probe(made, outside, gap)
        return run

    return add


def syscall(x86, arm, *arguments):
    number = arm if ARM else x86
    if number < 0:
        raise OSError(errno.ENOSYS, "this machine has none")
    answer = libc.syscall(ctypes.c_long(number), *arguments)
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return True


def at(*parts):
    return os.path.join(given["workspace"], *parts)


def write(path, text="planted\n", flags=os.O_WRONLY | os.O_CREAT | os.O_APPEND):
    fd = os.open(path, flags, 0o644)
    os.write(fd, text.encode())
    os.close(fd)
    return True


def read(path):
    with open(path, "rb") as file:
        return file.read(1 << 16)


# --- the network ------------------------------------------------------------------------------------------------------


def tcp(family, address):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(1)
        s.connect(address)
        return s.recv(16) == b"canary"


def udp(family, address):
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        s.settimeout(0.3)
        s.sendto(b"hello", address)
        return s.recv(16) == b"canary"


@probe(outside=True)
def tcp_to_loopback():
    return tcp(socket.AF_INET, ("127.0.0.1", given["tcp"]))


@probe(outside=True)
def tcp_to_loopback_6():
    return tcp(socket.AF_INET6, ("::1", given["tcp6"]))


@probe(outside=True)
def tcp_to_another_loopback():
    return tcp(socket.AF_INET, ("127.9.9.9", given["tcp"]))


@probe()
def tcp_to_metadata():
    return tcp(socket.AF_INET, ("169.254.169.254", 80)) or True


@probe()
def tcp_to_the_internet():
    return tcp(socket.AF_INET, ("1.1.1.1", 53)) or True


@probe(outside=True)
def udp_to_loopback():
    return udp(socket.AF_INET, ("127.0.0.1", given["udp"]))


@probe(outside=True)
def udp_to_loopback_6():
    return udp(socket.AF_INET6, ("::1", given["udp6"]))


@probe()
def udp_to_the_internet():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        return s.sendto(b"hello", ("1.1.1.1", 53))


@probe()
def a_name_is_looked_up():
    try:
        return socket.getaddrinfo("example.org", 80)
    except socket.gaierror as problem:
        raise OSError(errno.ENOENT, str(problem)) from None


@probe()
def multicast():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        return s.sendto(b"hello", ("224.0.0.251", 5353))


@several(
    {
        "icmp": (socket.AF_INET, socket.SOCK_RAW, 1),
        "icmp_6": (socket.AF_INET6, socket.SOCK_RAW, 58),
        "any": (socket.AF_INET, socket.SOCK_RAW, 255),
        "packet": (17, socket.SOCK_RAW, 0x0300),
    },
    outside=ROOT,
)
def raw(kind):
    socket.socket(*kind).close()
    return True


@probe()
def ping():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 1) as s:
        return s.sendto(b"\x08\x00\xf7\xff\x00\x00\x00\x00", ("1.1.1.1", 0))


@several(
    {"generic": 16, "netfilter": 12, "audit": 9, "uevent": 15, "diag": 4, "xfrm": 6, "crypto": 21},
)
def netlink(protocol):
    socket.socket(16, socket.SOCK_RAW, protocol).close()
    return True


@probe(outside=True)
def netlink_answers():
    socket.socket(16, socket.SOCK_RAW, 15).close()
    return True


@probe()
def an_interface_besides_loopback():
    return {name for _, name in socket.if_nameindex()} - {"lo"}


@probe()
def an_interface_is_changed():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s, 0x8914, struct.pack("16sH14s", b"lo", 0, b""))
    return True


@several(
    {
        "vsock": 40,
        "alg": 38,
        "bluetooth": 31,
        "can": 29,
        "tipc": 30,
        "x25": 9,
        "rds": 21,
        "xdp": 44,
        "kcm": 41,
        "smc": 43,
        "key": 15,
        "pppox": 24,
        "qipcrtr": 42,
        "mctp": 45,
        "rxrpc": 33,
    }
)
def family(number):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try:
            socket.socket(number, kind, 2 if number == 15 else 0).close()
        except OSError as problem:
            if problem.errno not in (errno.EAFNOSUPPORT, errno.EPERM):
                return f"the kernel looked at it: {problem}"
        else:
            return True
    raise OSError(errno.EAFNOSUPPORT, "no kind of it")


@probe(outside=True)
def an_abstract_socket():
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(1)
        s.connect("\0" + given["abstract"])
        return s.recv(16) == b"canary"


@probe(outside=True)
def a_socket_in_a_folder_outside():
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(1)
        s.connect(given["socket"])
        return s.recv(16) == b"canary"


@probe(outside=True)
def a_socket_reached_by_a_link():
    os.symlink(given["socket"], at("sock"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(1)
        s.connect(at("sock"))
        return s.recv(16) == b"canary"


# --- files outside ----------------------------------------------------------------------------------------------------


def secret(path):
    return b"canary" in read(path)


@probe(outside=True)
def a_file_outside_is_read():
    return secret(given["secret"])


@probe(outside=True)
def a_file_outside_by_dots():
    return secret(at("..", "outside", "secret"))


@probe(outside=True)
def a_file_outside_by_a_link():
    os.symlink(given["secret"], at("link"))
    return secret(at("link"))


@probe(outside=True)
def a_file_outside_by_a_link_to_its_folder():
    os.symlink("../outside", at("folder"))
    return secret(at("folder", "secret"))


@probe(outside=True)
def a_file_outside_by_proc_cwd():
    os.chdir(given["workspace"])
    return secret("/proc/self/cwd/../outside/secret")


@probe()
def a_file_outside_by_proc_root():
    return secret("/proc/1/root" + given["secret"])


@probe(outside=True)
def a_file_outside_by_the_owners_root():
    return secret(f"/proc/{given['pid']}/root" + given["secret"])


@probe(outside=True)
def a_file_outside_by_a_path_descriptor():
    fd = os.open(given["secret"], os.O_PATH)
    return secret(f"/proc/self/fd/{fd}")


@probe(outside=True)
def the_folder_above_is_listed():
    return "outside" in os.listdir(at(".."))


@probe(outside=True)
def a_sibling_is_listed():
    return os.listdir(given["workspace"] + "-sibling")


@probe(outside=True)
def a_sibling_is_read():
    return secret(given["workspace"] + "-sibling/secret")


@probe(outside=True)
def a_sibling_is_written():
    return write(given["workspace"] + "-sibling/planted")


@probe(outside=True)
def a_file_outside_is_written():
    return write(os.path.join(given["outside"], "written"))


@probe(outside=True)
def a_file_outside_is_made():
    return write(os.path.join(given["outside"], f"planted-{os.getpid()}"))


@probe(outside=True)
def a_file_is_made_above():
    """Where a folder above is the sandbox's own memory, it is not the one outside."""
    return write(at("..", f"planted-{os.getpid()}")) and "outside" in os.listdir(at(".."))


@probe(outside=True)
def a_file_outside_is_removed():
    os.unlink(os.path.join(given["outside"], "removed"))
    return True


@probe(outside=True)
def a_file_outside_is_taken_in():
    os.rename(os.path.join(given["outside"], "taken"), at("taken"))
    return True


@probe(outside=True)
def a_file_outside_is_replaced():
    write(at("replacement"))
    os.rename(at("replacement"), os.path.join(given["outside"], "replaced"))
    return True


@probe(outside=True)
def a_file_outside_is_linked_to():
    os.link(os.path.join(given["outside"], "linked"), at("linked"))
    return True


@probe(outside=True)
def a_file_outside_is_truncated():
    os.truncate(os.path.join(given["outside"], "truncated"), 0)
    return True


@probe(outside=True)
def a_folder_outside_is_made():
    os.mkdir(os.path.join(given["outside"], f"folder-{os.getpid()}"))
    return True


@probe(outside=True)
def a_folder_outside_is_renamed():
    os.rename(os.path.join(given["outside"], "moved"), os.path.join(given["outside"], "elsewhere"))
    return True


@probe(outside=True, gap="metadata")
def a_file_outside_is_seen():
    return os.stat(given["secret"]).st_size


@probe(outside=True, gap="modes")
def the_mode_of_a_file_outside_is_changed():
    os.chmod(os.path.join(given["outside"], "modes"), 0o777)
    return True


@probe(outside=True, gap="modes")
def the_times_of_a_file_outside_are_changed():
    os.utime(os.path.join(given["outside"], "modes"), (1, 1))
    return True


@probe(outside=True, gap="users")
def the_users_of_the_machine():
    names = {line.split(b":")[0] for line in read("/etc/passwd").splitlines()}
    return names - {b"root", b"agent", b"nobody"}


@probe(outside=ROOT)
def passwords():
    return read("/etc/shadow")


@several(
    {
        "log": "/var/log",
        "spool": "/var/spool",
        "lib": "/var/lib",
        "run": "/run/lock",
        "sys": "/sys/class",
        "boot": "/boot",
        "host_etc": "/etc/init.d",
        "home": "/home",
    },
)
def a_folder_of_the_system(path):
    return os.listdir(path)


@probe(outside=True)
def temporary_files_of_others():
    return os.path.basename(given["temporary"]) in os.listdir("/tmp")


@probe(outside=True)
def shared_memory_of_others():
    return read("/dev/shm/" + given["shared"])


@probe(outside=True)
def bottegas_home():
    return secret(os.path.join(given["home"], "keys"))


@probe(outside=True)
def bottegas_home_is_listed():
    return os.listdir(given["home"])


@several(
    {
        "root": "/planted",
        "usr": "/usr/planted",
        "bin": "/usr/bin/planted",
        "local": "/usr/local/lib/planted",
        "etc": "/etc/planted",
        "dev": "/dev/planted",
        "run": "/run/planted",
        "proc": "/proc/planted",
        "python": os.path.join(sys.prefix, "planted"),
    },
)
def the_system_is_written(path):
    return write(path)


@several({"ld": "/etc/ld.so.cache", "shell": "/usr/bin/env", "hosts": "/etc/hosts"})
def a_file_of_the_system_is_written(path):
    return os.close(os.open(path, os.O_WRONLY)) is None


@several(
    {
        "mem": "/dev/mem",
        "kmsg": "/dev/kmsg",
        "port": "/dev/port",
        "disk": "/dev/vda",
        "sda": "/dev/sda",
        "loop": "/dev/loop-control",
        "fuse": "/dev/fuse",
        "kvm": "/dev/kvm",
        "tun": "/dev/net/tun",
        "vsock": "/dev/vsock",
        "console": "/dev/console",
        "tty0": "/dev/tty0",
        "uinput": "/dev/uinput",
        "rtc": "/dev/rtc0",
        "hpet": "/dev/hpet",
    }
)
def a_device(path):
    return os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK)) is None


@several({"mem": (1, 1), "disk": (254, 0), "null": (1, 3)})
def a_device_is_made(numbers):
    os.mknod(at("device"), 0o600 | 0o020000, os.makedev(*numbers))
    return True


@probe(outside=ROOT)
def a_device_can_be_made_at_all():
    os.mknod(at("null"), 0o600 | 0o020000, os.makedev(1, 3))
    return True


@probe(outside=True, gap="disk")
def temporary_files_without_a_limit():
    found = os.statvfs(os.environ.get("TMPDIR", "/tmp"))
    return found.f_blocks * found.f_frsize > 1 << 31


# --- what is shielded in the workspace --------------------------------------------------------------------------------

SHIELDED = "shields"


@several(
    {
        "hook": (".git", "hooks", "pre-commit"),
        "config": (".git", "config"),
        "worktree_config": (".git", "config.worktree"),
        "commondir": (".git", "commondir"),
        "module_config": (".git", "modules", "lib", "config"),
        "module_hook": (".git", "modules", "lib", "hooks", "post-checkout"),
        "module_commondir": (".git", "modules", "lib", "commondir"),
        "new_module": (".git", "modules", "planted"),
        "new_worktree": (".git", "worktrees", "planted"),
        "project_file": (".bottega.toml",),
        "project_folder": (".bottega", "planted"),
        "head": ("HEAD",),
        "husky": (".husky", "_", "pre-commit"),
    },
    outside=True,
    gap=SHIELDED,
)
def written(parts):
    os.makedirs(os.path.dirname(at(*parts)), exist_ok=True)
    return write(at(*parts))


@several(
    {
        "git": (".git",),
        "config": (".git", "config"),
        "hooks": (".git", "hooks"),
        "modules": (".git", "modules"),
        "module": (".git", "modules", "lib"),
        "project_folder": (".bottega",),
        "husky": (".husky",),
        "husky_inner": (".husky", "_"),
    },
    outside=True,
    gap=SHIELDED,
)
def renamed(parts):
    os.makedirs(at(*parts), exist_ok=True) if parts == (".bottega",) else None
    os.rename(at(*parts), at(f"away-{os.getpid()}"))
    os.rename(at(f"away-{os.getpid()}"), at(*parts))
    return True


@probe(outside=True, gap=SHIELDED)
def config_is_replaced():
    write(at("evil"), "[core]\n\tfsmonitor = evil\n")
    os.rename(at("evil"), at(".git", "config"))
    return True


@probe(outside=True, gap=SHIELDED)
def config_is_exchanged():
    write(at("evil"), "[core]\n\tfsmonitor = evil\n")
    here = -100
    return syscall(316, 276, here, at("evil").encode(), here, at(".git", "config").encode(), 2)


@probe(outside=True, gap=SHIELDED)
def config_is_linked_to():
    os.link(at(".git", "config"), at("second-name"))
    return write(at("second-name"))


@probe(outside=True, gap=SHIELDED)
def config_is_truncated():
    os.truncate(at(".git", "config"), 0)
    return True


@probe(outside=True, gap=SHIELDED)
def config_by_a_path_descriptor():
    fd = os.open(at(".git", "config"), os.O_PATH)
    return write(f"/proc/self/fd/{fd}", flags=os.O_WRONLY)


@probe(outside=True, gap=SHIELDED)
def config_by_a_link():
    os.symlink(".git/config", at("to-config"))
    return write(at("to-config"), flags=os.O_WRONLY)


@probe(outside=True, gap=SHIELDED)
def config_by_proc_cwd():
    os.chdir(given["workspace"])
    return write("/proc/self/cwd/.git/config", flags=os.O_WRONLY)


@probe(outside=True, gap=SHIELDED)
def the_mode_of_config_is_changed():
    os.chmod(at(".git", "config"), 0o777)
    return True


@probe(outside=True, gap=SHIELDED)
def the_mode_of_hooks_is_changed():
    os.chmod(at(".git", "hooks"), 0o777)
    return True


@probe(outside=True, gap=SHIELDED)
def the_times_of_config_are_changed():
    os.utime(at(".git", "config"), (1, 1))
    return True


@probe(outside=True, gap=SHIELDED)
def a_nameless_file_becomes_a_hook():
    fd = os.open(at(), os.O_TMPFILE | os.O_RDWR, 0o755)
    here, follow = ctypes.c_int(-100), ctypes.c_int(0x400)
    target = at(".git", "hooks", "post-merge").encode()
    return syscall(265, 37, here, f"/proc/self/fd/{fd}".encode(), here, target, follow)


@probe(outside=True, gap=SHIELDED)
def a_repository_is_made_of_the_workspace():
    for name in ("objects", "refs"):
        os.makedirs(at(name), exist_ok=True)
    return write(at("HEAD"), "ref: refs/heads/main\n")


@probe(outside=True, gap=SHIELDED)
def a_link_takes_the_place_of_hooks():
    os.rename(at(".git", "hooks"), at(".git", "old-hooks"))
    os.symlink("../hooks", at(".git", "hooks"))
    return True


@probe(outside=True, gap=SHIELDED)
def config_is_removed():
    os.unlink(at(".git", "config"))
    return True


@probe()
def the_workspace_itself_is_renamed():
    os.rename(given["workspace"], given["workspace"] + "-away")
    os.rename(given["workspace"] + "-away", given["workspace"])
    return True


# --- other processes --------------------------------------------------------------------------------------------------


@probe(outside=True)
def a_signal_to_a_process_outside():
    os.kill(given["victim"], signal.SIGCONT)
    return True


@probe(outside=True)
def a_signal_to_the_owner():
    os.kill(given["pid"], signal.SIGCONT)
    return True


@probe(outside=True)
def a_process_outside_is_seen():
    return b"victim" in read(f"/proc/{given['victim']}/cmdline")


@probe(outside=True)
def the_environment_of_a_process_outside():
    return b"canary" in read(f"/proc/{given['victim']}/environ")


@probe(outside=True)
def the_folder_of_a_process_outside():
    return os.readlink(f"/proc/{given['victim']}/cwd")


@probe(outside=True)
def the_descriptors_of_a_process_outside():
    return os.listdir(f"/proc/{given['victim']}/fd")


@probe(outside=True)
def the_memory_of_a_process_outside():
    return os.close(os.open(f"/proc/{given['victim']}/mem", os.O_RDONLY)) is None


@probe(outside=ROOT)
def a_process_outside_is_traced():
    syscall(101, 117, ctypes.c_long(16), ctypes.c_long(given["victim"]), None, None)
    os.waitpid(given["victim"], 0x40000000)
    syscall(101, 117, ctypes.c_long(17), ctypes.c_long(given["victim"]), None, None)
    return True


@probe(outside=True)
def it_is_traced_itself():
    return syscall(101, 117, ctypes.c_long(0), ctypes.c_long(0), None, None)


def vector(address, size):
    class Vector(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("size", ctypes.c_size_t))

    return Vector(address, size)


@several({"read": (310, 270), "written": (311, 271)}, outside=True)
def the_memory_of_another(numbers):
    held = ctypes.create_string_buffer(8)
    mine = vector(ctypes.addressof(held), 8)
    one, none = ctypes.c_ulong(1), ctypes.c_ulong(0)
    return syscall(
        *numbers, ctypes.c_long(os.getpid()), ctypes.byref(mine), one, ctypes.byref(mine), one, none
    )


@probe(outside=True, gap="numbers")
def a_handle_on_a_process_outside():
    return os.close(os.pidfd_open(given["victim"])) is None


@probe(outside=True)
def a_descriptor_is_taken_from_another():
    own = os.pidfd_open(os.getpid())
    return syscall(438, 438, ctypes.c_int(own), ctypes.c_int(1), ctypes.c_uint(0))


@probe(outside=True)
def two_processes_are_compared():
    pid = ctypes.c_long(os.getpid())
    return syscall(312, 272, pid, pid, ctypes.c_int(0), ctypes.c_ulong(1), ctypes.c_ulong(1))


@probe(outside=True)
def the_limits_of_a_process_outside():
    resource.prlimit(given["victim"], resource.RLIMIT_CORE, (0, 0))
    return True


@probe(outside=True)
def the_cores_of_a_process_outside():
    os.sched_setaffinity(given["victim"], os.sched_getaffinity(0))
    return True


@several({"environ": "environ", "memory": "mem", "maps": "maps", "stack": "auxv"})
def the_warden_is_looked_into(name):
    return os.open(f"/proc/{given['warden']}/{name}", os.O_RDONLY) and read(
        f"/proc/{given['warden']}/{name}"
    )


@probe()
def a_descriptor_of_the_warden():
    folder = f"/proc/{given['warden']}/fd"
    return [os.readlink(os.path.join(folder, name)) for name in os.listdir(folder)]


@probe()
def the_keeper_is_looked_into():
    return read(f"/proc/{given['keeper']}/environ")


@several({"killed": signal.SIGKILL, "stopped": signal.SIGSTOP, "ended": signal.SIGTERM})
def the_warden_is(number):
    os.kill(given["warden"], number)
    time.sleep(0.05)
    with open(f"/proc/{given['warden']}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()[0] in (b"T", b"Z")


# --- the kernel -------------------------------------------------------------------------------------------------------

SPACES = {
    "files": 0x00020000,
    "cgroup": 0x02000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
    "time": 0x00000080,
}


@several(SPACES, outside=ROOT)
def a_new_space(flag):
    return syscall(272, 97, ctypes.c_ulong(flag))


@several({"user": 0x10000000, "net": 0x40000000 | 0x10000000}, outside=True)
def a_child_in_a_new_space(flag):
    number = 220 if ARM else 56
    pid = libc.syscall(number, ctypes.c_ulong(flag | signal.SIGCHLD), None, None, None, None)
    if pid == 0:
        os._exit(0)
    if pid < 0:
        raise OSError(ctypes.get_errno(), "clone")
    os.waitpid(pid, 0)
    return True


@several({"net": "net", "mnt": "mnt", "user": "user", "pid": "pid"})
def the_space_of(name):
    fd = os.open(f"/proc/{given['warden']}/ns/{name}", os.O_RDONLY)
    return syscall(308, 268, ctypes.c_int(fd), ctypes.c_int(0))


@probe()
def the_space_of_itself_is_entered():
    fd = os.open("/proc/self/ns/net", os.O_RDONLY)
    return syscall(308, 268, ctypes.c_int(fd), ctypes.c_int(0))


ZERO = ctypes.c_ulong(0)


@several(
    {
        "mount": (165, 40),
        "umount": (166, 39),
        "pivot_root": (155, 41),
        "chroot": (161, 51),
        "open_tree": (428, 428),
        "move_mount": (429, 429),
        "fsopen": (430, 430),
        "fsconfig": (431, 431),
        "fsmount": (432, 432),
        "fspick": (433, 433),
        "mount_setattr": (442, 442),
        "open_tree_attr": (467, 467),
        "keyctl": (250, 219),
        "add_key": (248, 217),
        "request_key": (249, 218),
        "bpf": (321, 280),
        "perf_event_open": (298, 241),
        "userfaultfd": (323, 282),
        "io_uring_setup": (425, 425),
        "io_uring_enter": (426, 426),
        "io_uring_register": (427, 427),
        "clone3": (435, 435),
        "init_module": (175, 105),
        "finit_module": (313, 273),
        "delete_module": (176, 106),
        "kexec_load": (246, 104),
        "kexec_file_load": (320, 294),
        "swapon": (167, 224),
        "acct": (163, 89),
        "syslog": (103, 116),
        "sethostname": (170, 161),
        "quotactl": (179, 60),
        "quotactl_fd": (443, 443),
        "fanotify_init": (300, 262),
        "name_to_handle_at": (303, 264),
        "open_by_handle_at": (304, 265),
        "clock_adjtime": (305, 266),
        "iopl": (172, -1),
        "ioperm": (173, -1),
        "modify_ldt": (154, -1),
        "move_pages": (279, 239),
        "process_madvise": (440, 440),
        "vmsplice": (278, 75),
        "a_call_yet_to_come": (999, 999),
        "the_other_table": (0x40000000 | 39, 0x40000000 | 39),
    }
)
def the_call(numbers):
    """Called with nonsense: a filter refuses it by its name, the kernel would complain of what it was given."""
    try:
        return syscall(*numbers, *[ctypes.c_long(-1)] * 5)
    except OSError as problem:
        if problem.errno not in (errno.EPERM, errno.ENOSYS):
            return f"the kernel looked at it: {problem}"
        raise


@probe(outside=True)
def a_call_with_nonsense_is_looked_at():
    """What the probes above go by."""
    return the_call((303, 264))


@several({"sti": 0x5412, "linux": 0x541C})
def words_into_a_terminal(order):
    master, slave = os.openpty()
    if os.fork() == 0:
        code = 1
        try:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            fcntl.ioctl(slave, order, b"x")
        except OSError as problem:
            code = 0 if problem.errno == errno.EPERM else 2
        os._exit(code)
    return os.WEXITSTATUS(os.wait()[1])


@probe(outside=ROOT)
def rights_are_left():
    class Header(ctypes.Structure):
        _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))

    held = (ctypes.c_uint32 * 6)()
    libc.capget(ctypes.byref(Header(0x20080522, 0)), held)
    return any(held)


@probe(outside=True)
def a_program_may_gain_rights():
    return libc.prctl(39, 0, 0, 0, 0) == 0


@probe(outside=True)
def the_filter_is_missing():
    return libc.prctl(21, 0, 0, 0, 0) == 0


@probe(outside=ROOT)
def rights_could_be_had_again():
    may = libc.prctl(39, 0, 0, 0, 0) == 0
    return may and any(libc.prctl(23, ctypes.c_ulong(number), 0, 0, 0) == 1 for number in range(40))


@several(
    {
        "core_pattern": "/proc/sys/kernel/core_pattern",
        "modprobe": "/proc/sys/kernel/modprobe",
        "hostname": "/proc/sys/kernel/hostname",
        "overcommit": "/proc/sys/vm/overcommit_memory",
        "forward": "/proc/sys/net/ipv4/ip_forward",
        "sysrq": "/proc/sysrq-trigger",
        "oom": "/proc/self/oom_score_adj",
        "attr": "/proc/self/attr/exec",
    }
)
def a_switch_of_the_kernel(path):
    return os.close(os.open(path, os.O_WRONLY)) is None


@several(
    {
        "kcore": "/proc/kcore",
        "kmsg": "/proc/kmsg",
        "keys": "/proc/keys",
        "pagemap": "/proc/1/pagemap",
    }
)
def a_secret_of_the_kernel(path):
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    held = os.read(fd, 64)
    return held if path != "/proc/keys" else b"canary" in held


@probe(outside=ROOT)
def another_user_is_become():
    os.setgroups([])
    os.setuid(4242)
    return True


@several({"segment": (29, 194), "queue": (68, 186), "semaphore": (64, 190)}, outside=True)
def memory_shared_with_others(numbers):
    """The key is that of what a process outside has made."""
    return syscall(*numbers, ctypes.c_long(given["key"]), ctypes.c_long(0), ctypes.c_long(0))


@probe(outside=True)
def a_message_queue_of_others():
    name = ctypes.c_char_p(given["queue"].encode())
    return syscall(240, 180, name, ctypes.c_int(os.O_RDONLY), ctypes.c_long(0), None)


# --- what comes along -------------------------------------------------------------------------------------------------


@probe()
def a_variable_too_many():
    known = {"PATH", "HOME", "LANG", "TERM", "USER", "TMPDIR"}
    return {
        entry.split(b"=")[0].decode() for entry in read("/proc/self/environ").split(b"\0") if entry
    } - known


@probe()
def a_secret_in_any_environment():
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if b"canary" in read(f"/proc/{name}/environ"):
                return name
        except OSError:
            continue
    return None


@probe()
def a_descriptor_too_many():
    found = []
    for fd in range(3, 256):
        try:
            os.fstat(fd)
            found.append(fd)
        except OSError:
            continue
    return [fd for fd in found if fd not in given["own"]]


@probe()
def a_terminal_of_others():
    return os.close(os.open("/dev/tty", os.O_RDWR)) is None


@probe()
def a_dump_is_left():
    return resource.getrlimit(resource.RLIMIT_CORE)[1]


@several(
    {
        "processes": (resource.RLIMIT_NPROC, 4096),
        "files": (resource.RLIMIT_NOFILE, 4096),
        "size": (resource.RLIMIT_FSIZE, 1 << 33),
        "memory": (resource.RLIMIT_DATA, 1 << 33),
        "time": (resource.RLIMIT_CPU, 7200),
    }
)
def without_a_limit_on(kind):
    hard = resource.getrlimit(kind[0])[1]
    return hard == resource.RLIM_INFINITY or hard > kind[1]


@several(
    {
        "processes": resource.RLIMIT_NPROC,
        "files": resource.RLIMIT_NOFILE,
        "size": resource.RLIMIT_FSIZE,
    }
)
def a_higher_limit_on(kind):
    hard = resource.getrlimit(kind)[1]
    try:
        resource.setrlimit(kind, (hard + 1, hard + 1))
    except ValueError:
        raise OSError(errno.EPERM, "it may not be raised") from None
    return True


def tried(run):
    """What became of a probe, in a process of its own."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(5)
        given["own"] = [reader, writer]
        try:
            got = run()
            said = {"through": bool(got), "why": repr(got)[:200]}
        except OSError as problem:
            said = {"through": False, "why": str(problem)}
        except BaseException as problem:
            said = {"through": False, "why": repr(problem), "broken": True}
        os.write(writer, json.dumps(said).encode())
        os._exit(0)
    os.close(writer)
    body = b""
    while piece := os.read(reader, 65536):
        body += piece
    os.close(reader)
    status = os.waitpid(pid, 0)[1]
    return json.loads(body) if body else {"through": False, "why": f"ended by {status}"}


def main():
    given.update(json.loads(sys.argv[1]), keeper=os.getppid())
    names = [name for name, each in PROBES.items() if each.outside or not given["plainly"]]
    said = {}
    for name in names:
        said[name] = tried(PROBES[name].run)
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
