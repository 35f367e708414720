"""The few things of a repository's git config that are safe to know; what could run a program is left out."""

import re

import msgspec

_SECTION = re.compile(r'\[\s*+([\w.-]++)\s*+(?:"((?:[^"\\]|\\.)*)"\s*+)?\]')
_PLAIN = re.compile(r"[\w./*:+@-]*")
_CORE = ("filemode", "autocrlf", "eol", "ignorecase", "symlinks", "trustctime", "checkstat")
_CREDENTIALS = re.compile(r"(?<=://)[^/@]*@")


class GitConfig(msgspec.Struct, frozen=True):
    values: dict[tuple[str, str, str], str]
    """By section, its name within quotes, and key."""

    def get(self, section: str, name: str, key: str) -> str:
        return self.values.get((section, name, key), "")

    def remotes(self) -> dict[str, str]:
        """The addresses of the remotes, without what stands in them to prove who one is."""
        return {
            name: _CREDENTIALS.sub("", value)
            for (section, name, key), value in self.values.items()
            if (section, key) == ("remote", "url")
        }

    def upstream(self, branch: str) -> tuple[str, str]:
        """The remote that a branch follows, and the ref there; empty where there is none."""
        return self.get("branch", branch, "remote"), self.get("branch", branch, "merge")

    def safe(self, branch: str) -> str:
        """A config with the plain values that `git status` needs, and nothing else."""
        core = {key: self.get("core", "", key) for key in _CORE}
        formats = self.get("extensions", "", "objectformat")
        remote, merge = self.upstream(branch)
        parts = [("core", "", {"repositoryformatversion": "1", "bare": "false", **core})]
        if formats:
            parts.append(("extensions", "", {"objectformat": formats}))
        if remote and merge:
            parts.append(("branch", branch, {"remote": remote, "merge": merge}))
            fetch = f"+refs/heads/*:refs/remotes/{remote}/*"
            parts.append(("remote", remote, {"url": "none", "fetch": fetch}))
        return "\n".join(_written(*part) for part in parts if _PLAIN.fullmatch(part[1])) + "\n"


def _written(section: str, name: str, values: dict[str, str]) -> str:
    title = f'[{section} "{name}"]' if name else f"[{section}]"
    rows = [f"\t{key} = {value}" for key, value in values.items() if value and _is_plain(value)]
    return "\n".join((title, *rows))


def _is_plain(value: str) -> bool:
    return bool(_PLAIN.fullmatch(value))


def parsed(text: str) -> GitConfig:
    """What the text says line by line; includes, and values over several lines, are left out."""
    values: dict[tuple[str, str, str], str] = {}
    section, name = "", ""
    for line in map(str.strip, text.splitlines()):
        if found := _SECTION.match(line):
            section, name = found[1].lower(), re.sub(r"\\(.)", r"\1", found[2] or "")
        elif line and line[0] not in "#;":
            key, _, value = line.partition("=")
            values[section, name, key.strip().lower()] = value.strip().strip('"')
    return GitConfig(values)
