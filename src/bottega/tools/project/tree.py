"""How large a project is and in which languages, counted over the files that its ignore files leave."""

from collections import Counter
from typing import Any

from bottega.errors import Problem
from bottega.tools.searching.hits import Paths
from bottega.tools.searching.ripgrep import Search, search
from bottega.workspaces.confine import Root

_FILES = 20_000
_SECONDS = 5.0
_LANGUAGES = 12
_BY_ENDING = {
    ending: language
    for language, endings in {
        "Python": "py pyi",
        "JavaScript": "js mjs cjs jsx",
        "TypeScript": "ts tsx mts cts",
        "Rust": "rs",
        "Go": "go",
        "Java": "java",
        "Kotlin": "kt kts",
        "C": "c h",
        "C++": "cc cpp cxx hpp hh",
        "C#": "cs",
        "Swift": "swift",
        "Ruby": "rb",
        "PHP": "php",
        "Perl": "pl pm",
        "Lua": "lua",
        "Elixir": "ex exs",
        "Haskell": "hs",
        "Scala": "scala",
        "Dart": "dart",
        "R": "r",
        "Julia": "jl",
        "Zig": "zig",
        "Shell": "sh bash zsh",
        "SQL": "sql",
        "HTML": "html htm",
        "CSS": "css scss sass less",
        "Vue": "vue",
        "Svelte": "svelte",
        "Markdown": "md mdx",
        "JSON": "json",
        "YAML": "yml yaml",
        "TOML": "toml",
        "Nix": "nix",
        "Terraform": "tf",
        "Protocol Buffers": "proto",
    }.items()
    for ending in endings.split()
}
_BY_NAME = {"Makefile": "Make", "Dockerfile": "Docker", "CMakeLists.txt": "CMake"}


class _Counted:
    def __init__(self, root: Root) -> None:
        self._root = root
        self._paths = Paths()
        self.files = 0
        self.size = 0
        self.files_of: Counter[str] = Counter()
        self.size_of: Counter[str] = Counter()

    def take(self, piece: bytes) -> bool:
        for path in self._paths.take(piece):
            if self.files >= _FILES:
                return False
            try:
                size = self._root.stat(path, follow=False).st_size
            except (Problem, OSError):
                continue
            self.files += 1
            self.size += size
            if spoken := language(path):
                self.files_of[spoken] += 1
                self.size_of[spoken] += size
        return True


async def counted(root: Root) -> dict[str, Any]:
    """Files and bytes in all, and by language; on a huge tree as far as there is time."""
    found = _Counted(root)
    try:
        seen = await search(root, Search(("--files",), seconds=_SECONDS), found.take)
    except Problem as problem:
        return {"note": str(problem)}
    told: dict[str, Any] = {"files": found.files, "bytes": found.size}
    if seen.late or seen.enough:
        told["note"] = "There are more: these are as many as were counted."
    told["languages"] = {
        language: {"files": found.files_of[language], "bytes": size}
        for language, size in found.size_of.most_common(_LANGUAGES)
    }
    return told


def language(path: str) -> str:
    """What a file is written in, told by its name; empty: that is not known."""
    name = path.rpartition("/")[2]
    return _BY_NAME.get(name) or _BY_ENDING.get(name.rpartition(".")[2].lower(), "")
