"""Git's settings as entries, and which of them can do no harm.

What is not on the list is taken for a setting that runs a program: git learns new ones with every release.
"""

import re
import shlex
import shutil
import subprocess
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache

Entry = tuple[str, str | None]
"""A key as git prints it, section and name in lower case; None: the key stands there without a value."""

LARGEST = 1 << 20
"""Bytes of a file of settings that is read."""
_MANY = 10_000
"""Lines of settings that a program may add to a file: reading them takes longer than writing them."""
_SMALL = 64 << 10
"""Bytes of settings that are remembered as they were read."""
_PROGRAMS = "/usr/local/bin:/usr/bin:/bin"
_SECTION = re.compile(rb'\[([A-Za-z0-9-]+)(?: "([\x20-\x21\x23-\x5b\x5d-\x7e]*)")?\]')
_VALUE = re.compile(
    rb"[ \t]*([A-Za-z][A-Za-z0-9-]*) = ([!$-:<-\[\]-~](?:[ -!$-:<-\[\]-~]*[!$-:<-\[\]-~])?)"
)
"""A line that cannot be read in two ways: no quotes, no escapes, no comments."""
_KEY = re.compile(r"([a-z0-9-]+)\.(?:(.*)\.)?([a-z][a-z0-9-]*)", re.DOTALL)

_FLAG = re.compile(r"(true|false|yes|no|on|off|0|1|)", re.IGNORECASE)
_OFF = re.compile(r"false|no|off|0", re.IGNORECASE)
_WORD = re.compile(r"(?!-)[\w./+*:^-]*")
_TEXT = re.compile(r"[^\x00-\x1f\x7f]*")
_REFERENCES = frozenset({"branch.*.merge", "remote.*.fetch", "remote.*.push"})
"""Settings that name references: git replaces objects by some of those, and applies others by itself."""
_OWN = frozenset({"bisect", "replace", "rewritten", "stash", "worktree"})
"""What references begin with that git uses for itself."""
_REMOTE = re.compile(r"[A-Za-z0-9_.][\w./+-]*")
_URL = re.compile(r"(https?|git|ssh|git\+ssh|ssh\+git|file)://[^-\x00-\x20][^\x00-\x1f]*")
_SCP = re.compile(r"(?=[^\x00-\x1f]*\Z)([\w.+~][\w.+~-]*@)?[\w.\[][\w.:\]-]*:(?!:|//).*", re.DOTALL)
_PATH = re.compile(r"[./][^\x00-\x1f]*")

_NAMES = {
    "remote": re.compile(r"(?!.*(?:\.\.|//))[A-Za-z0-9_][\w./@+-]*", re.ASCII),
    "submodule": re.compile(r"(?!.*(?:\.\.|//))[A-Za-z0-9_.][\w./@+-]*", re.ASCII),
    "branch": re.compile(r"(?!-|.*\.\.)[^\x00-\x20\x7f\"$&';<>`|~^:?*\[\\]+"),
}
"""What remotes, submodules and branches may be called: git hands some of these names on among its options."""
_SAFE: dict[str, re.Pattern[str]] = {
    "core.repositoryformatversion": re.compile(r"\d+"),
    "core.abbrev": _WORD,
    "core.eol": _WORD,
    "core.safecrlf": _WORD,
    "core.checkstat": _WORD,
    "core.sharedrepository": _WORD,
    "core.autocrlf": _WORD,
    "core.fsmonitor": _OFF,
    "core.untrackedcache": re.compile(r"true|false|keep"),
    "commit.gpgsign": _OFF,
    "init.defaultbranch": _WORD,
    "user.name": _TEXT,
    "user.email": _TEXT,
    "user.useconfigonly": _FLAG,
    "pull.rebase": _FLAG,
    "pull.ff": _WORD,
    "push.default": _WORD,
    "push.autosetupremote": _FLAG,
    "merge.conflictstyle": _WORD,
    "fetch.prune": _FLAG,
    "index.sparse": _FLAG,
    "remote.pushdefault": _REMOTE,
    "extensions.objectformat": re.compile(r"sha1|sha256"),
    "extensions.refstorage": re.compile(r"files|reftable"),
    "extensions.worktreeconfig": _FLAG,
    "extensions.relativeworktrees": _FLAG,
    "remote.*.fetch": _WORD,
    "remote.*.push": _WORD,
    "remote.*.tagopt": _WORD,
    "remote.*.prune": _FLAG,
    "remote.*.promisor": re.compile("true"),
    "remote.*.partialclonefilter": re.compile(r"blob:none|blob:limit=\d+[kmg]?|tree:\d+"),
    "branch.*.remote": _REMOTE,
    "branch.*.pushremote": _REMOTE,
    "branch.*.merge": _WORD,
    "branch.*.rebase": _FLAG,
    "branch.*.vscode-merge-base": _WORD,
    "submodule.active": _TEXT,
    "submodule.*.active": _FLAG,
    "submodule.*.branch": _WORD,
    "submodule.*.ignore": _WORD,
    "submodule.*.update": re.compile(r"checkout|rebase|merge|none"),
} | {
    f"core.{name}": _FLAG
    for name in (
        "bare",
        "filemode",
        "ignorecase",
        "logallrefupdates",
        "longpaths",
        "precomposeunicode",
        "protecthfs",
        "protectntfs",
        "quotepath",
        "sparsecheckout",
        "sparsecheckoutcone",
        "splitindex",
        "symlinks",
        "trustctime",
    )
}
_ADDRESSES = ("remote.*.url", "remote.*.pushurl", "submodule.*.url")


def is_safe(entry: Entry) -> bool:
    """Whether this setting can run nothing, whoever made it."""
    key, value = entry
    found = _KEY.fullmatch(key)
    if found is None:
        return False
    general = key
    if found[2] is not None:
        general = f"{found[1]}.*.{found[3]}"
        named = _NAMES.get(found[1])
        if named is None or not named.fullmatch(found[2]):
            return False
    if general in _ADDRESSES:
        return value is not None and _is_address(value)
    if general in _REFERENCES and not _keeps_to_its_own(general, value or ""):
        return False
    allowed = _SAFE.get(general)
    return allowed is not None and allowed.fullmatch(value or "") is not None


def _keeps_to_its_own(key: str, value: str) -> bool:
    """Whether references are written only where a fetch or a push writes them by custom, and none are taken away.

    The one star of a value may stand within a step, and stand for any number of them: what is before it decides.
    """
    if key == "branch.*.merge":
        return "refs/replace" not in value.lower()
    if key == "remote.*.push" and value[:1] in ("+", ":"):
        return False  # it would overwrite or delete what others have there
    source, colon, target = value.removeprefix("+").lower().partition(":")
    place = target if colon or key == "remote.*.fetch" else source
    if not place.startswith("refs"):
        return "*" not in place and not place.startswith("replace")
    start, first, rest = [*place.split("/", 2), "", ""][:3]
    return start == "refs" and "*" not in first and first not in ("", *_OWN) and rest != ""


def _is_address(value: str) -> bool:
    """An address that git reaches by itself or by ssh: `ext::` and the like name a program."""
    if "::" in value.partition("/")[0]:
        return False
    return any(each.fullmatch(value) for each in (_URL, _SCP, _PATH))


_DATA = re.compile(
    r"core\.(attributesfile|excludesfile|hookspath|worktree)|include(if)?\..*|(http|safe|url)\..*"
    r"|blame\.ignorerevsfile|branch\..*\.description|commit\.template|diff\.orderfile|format\.signaturefile"
    r"|gpg\.ssh\.(allowedsigners|revocation)file|lfs\.fetch(include|exclude)|mailmap\.(file|blob)"
    r"|sendemail\.(.*\.)?aliasesfile|user\.signingkey",
    re.DOTALL,
)
"""Settings that name files which git only reads, or no files at all."""
_READERS = re.compile(r"!\s*(cat|head|tail|echo|printf|wc)\s[^;&|\n(){}`$<>]*")
_LOOKS = re.compile(r"(add|blame|checkout|commit|diff|log|ls-files|restore|show|status)\s[^\n]*")
"""Aliases that run nothing of what they name: a program that only reads, and nothing besides; a command of git."""
_LFS = re.compile(r"git[- ]lfs [a-z-]+( --skip)?( -- %f)?")
_RUNNERS = re.compile(
    r"(ba|da|z|k|mk|c|tc|a|fi)?sh|python[\d.]*|perl|ruby|node|deno|bun|php|lua|awk|env|exec|command|nice|time|nohup|sudo|source|\."
)
_VARIABLE = re.compile(r"\$\{?\w+\}?/|/+")
_BRACED = re.compile(r"\$\{(\w+)(?:[^\w{}][^{}]*)?\}")
_COMPUTED = re.compile(r"[)`]\"?(/[^\s\"';&|()`]*)")
"""What follows a path that a command prints."""
_PARTS = re.compile(r"[;&|\n(){}`]+")
_DEEPEST = 40
"""Folders of a path that are taken away one by one."""
_NESTED = 3
"""How deep commands within quotes are looked into."""
LONGEST_LINE = 1 << 16
"""Characters of a command that are read as a shell would: `shlex` takes a time that grows with the square of a word."""


def programs(entry: Entry) -> Iterator[str]:
    """The files that a setting may run, there or not, by their names: scripts, not what they run in turn."""
    return (word for word, is_path in _named(entry) if is_path)


def mentioned(entry: Entry) -> Iterator[str]:
    """All other words of a setting that may run something: one that is a file may be handed to what runs it."""
    return (word for word, is_path in _named(entry) if not is_path)


def _named(entry: Entry) -> Iterator[tuple[str, bool]]:
    key, value = entry
    if not value or _DATA.fullmatch(key) or _LFS.fullmatch(value) or is_safe(entry):
        return
    if key.startswith("alias.") and (_READERS.fullmatch(value) or _LOOKS.fullmatch(value)):
        return
    yield from _words(value.removeprefix("!"))


def _words(line: str, depth: int = 0) -> Iterator[tuple[str, bool]]:
    """Each word of a line, and whether it can only be a path: by a sign in it, or after an interpreter."""
    place, line = "", _unbraced(line)
    yield from ((end, False) for tail in _COMPUTED.findall(line) for end in _ends(tail))
    for part in _PARTS.split(re.sub("[<>]", " ", line)):
        words, ran = _split(part), False
        for word in words:
            if " " in word and depth < _NESTED:
                yield from _words(word, depth + 1)
            for each in _operands(word):
                is_path = "/" in each or "." in each or (ran and each == word)
                yield each, is_path
                if (
                    "$" in each
                ):  # nobody knows what stands there: what follows may lie in the project
                    yield from ((end, False) for end in _ends(each))
                if each[0] in "$/":
                    yield _VARIABLE.sub("", each, count=1) or each, is_path
                elif place:
                    yield f"{place}/{each}", is_path
            ran = ran or _RUNNERS.fullmatch(word.rpartition("/")[2]) is not None
        if len(words) > 1 and words[0] == "cd":
            place = words[1]


def _unbraced(line: str) -> str:
    """With `$X` in the place of `${X}`, and of what is to stand there where it is empty."""
    for _ in range(_NESTED):
        line = _BRACED.sub(r"$\1", line)
    return line


def _ends(path: str) -> Iterator[str]:
    """What is left of a path without its first folder, its first two, and so on."""
    for _ in range(_DEEPEST):
        _, _, path = path.partition("/")
        if path:
            yield path


def _split(part: str) -> list[str]:
    with suppress(ValueError):  # it was parted within quotes
        if len(part) <= LONGEST_LINE:
            return shlex.split(part)
    return [each for each in re.split(r"[\s\"']+", part) if each]


def _operands(word: str) -> Iterator[str]:
    """What a word may name: itself, or what follows an option or a variable in it."""
    found = [] if word.startswith("-") else [word]
    if "=" in word:
        found.append(word.partition("=")[2])
    elif word.startswith("-"):
        found.append(word.lstrip("-") if word.startswith("--") else word[2:])
    for each in found:
        bare = "/" not in each and (each[:1] in ("$", "%") or each.isdigit())
        if each and not bare and each not in (".", "..") and not _is_runner(each):
            yield each


def _is_runner(word: str) -> bool:
    return "/" not in word and _RUNNERS.fullmatch(word) is not None


def entries(raw: bytes) -> list[Entry] | None:
    """What a file of settings says, without what it includes; None: git itself could not read it."""
    simple = _known(raw) if len(raw) <= _SMALL else _simple(raw)
    return [*simple] if simple is not None else _by_git(raw)


def is_simple(raw: bytes) -> bool:
    """Whether nobody could read it in another way than we do."""
    return _simple(raw) is not None


@lru_cache(64)
def _known(raw: bytes) -> list[Entry] | None:
    return _simple(raw)


def _simple(raw: bytes) -> list[Entry] | None:
    found: list[Entry] = []
    section = ""
    for line in raw.split(b"\n"):
        if not line:
            continue
        if head := _SECTION.fullmatch(line):
            name = "" if head[2] is None else f".{head[2].decode()}"
            section = head[1].decode().lower() + name
        elif section and (said := _VALUE.fullmatch(line)):
            found.append((f"{section}.{said[1].decode().lower()}", said[2].decode()))
        else:
            return None
    return found


@lru_cache(256)
def _by_git(raw: bytes) -> list[Entry] | None:
    program = shutil.which("git", path=_PROGRAMS)
    if program is None or len(raw) > LARGEST:
        return None
    try:
        done = subprocess.run(
            [program, "config", "--file", "-", "--no-includes", "--list", "-z"],
            input=raw,
            capture_output=True,
            cwd="/",
            env={
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_CONFIG_GLOBAL": "/dev/null",
                "GIT_DIR": "/dev/null",
            },
            timeout=10,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    if done.returncode:
        return None
    found: list[Entry] = []
    for record in done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]:
        key, parted, value = record.partition("\n")
        found.append((key, value if parted else None))
    return found


def cleaned(raw: bytes, kept: Collection[Entry] = ()) -> tuple[bytes | None, tuple[str, ...]]:
    """The settings without those that could run a program and are not among `kept`, with the keys that went.

    None in the place of bytes: they may stay exactly as they are.
    """
    if raw.count(b"\n") > _MANY + 10 * len(kept):
        return written(kept), ("everything: there are too many",)
    found = entries(raw)
    if found is None:
        return written(kept), ("everything: git cannot read it",)
    known = {*kept}
    good = [
        each for each in found if each in known or (is_safe(each) and not (kept and _fetches(each)))
    ]
    addressed = {key.rpartition(".")[0] for key, _ in (*good, *kept) if key.endswith(".url")}
    good = [each for each in good if each in known or not _lacks(each[0], addressed)]
    stays = {*good}
    gone = tuple(dict.fromkeys(each[0] for each in found if each not in stays))
    if not gone and (changed := _rearranged(found, kept)):
        return written(kept), changed
    fresh = written(good)
    if not gone and (kept or fresh == raw or is_simple(raw)):
        return None, ()
    return fresh, gone


_SWITCHES = ("core.fsmonitor", "commit.gpgsign")
"""What runs nothing where these are off."""


def _rearranged(found: Collection[Entry], kept: Collection[Entry]) -> tuple[str, ...]:
    """The keys of kept settings that run programs, if other ones of them hold now: git takes the last.

    A key may go, unless a value of it was there to switch something off.
    """
    keys = {each[0] for each in kept if each[0] in _SWITCHES or not is_safe(each)}
    now = [each for each in found if each[0] in keys]
    off = {each[0] for each in kept if each[0] in keys and is_safe(each)}
    left = {key for key, _ in now} | off
    was = [each for each in kept if each[0] in keys and each[0] in left]
    return () if now == was else tuple(sorted(left))


def _fetches(entry: Entry) -> bool:
    """Whether git fetches what is missing by itself, as it does in a part of a repository that was cloned so."""
    return entry[0].endswith((".promisor", ".partialclonefilter"))


def _lacks(key: str, addressed: Collection[str]) -> bool:
    """Whether it is of a remote that has no address, so that git would take its name for one."""
    remote, dot, _ = key.rpartition(".")
    return dot == "." and remote.startswith("remote.") and remote not in addressed


def written(found: Iterable[Entry]) -> bytes:
    """The entries as a file of settings."""
    lines: list[str] = []
    last = ""
    for key, value in found:
        section, _, rest = key.partition(".")
        name, _, variable = rest.rpartition(".")
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        title = f'[{section} "{quoted}"]' if name else f"[{section}]"
        if title != last:
            lines.append(title)
            last = title
        lines.append(f"\t{variable}" if value is None else f"\t{variable} = {_quoted(value)}")
    return "\n".join([*lines, ""]).encode("utf-8", "surrogateescape") if lines else b""


def _quoted(value: str) -> str:
    if _VALUE.fullmatch(b"a = " + value.encode("utf-8", "surrogateescape")):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t") + '"'
