"""The folder that the demo works in: a tiny program with a mistake, and a test that shows it. To be thrown away."""

import shutil
import tempfile
from pathlib import Path

NAME = "Demo"

README = """\
# Corner shop

Prints what a customer pays. Bottega made this folder for its demo; throw it away whenever you like.

    bash receipt.sh PRICE QUANTITY [PERCENT_OFF]
    bash test.sh
"""

RECEIPT = """\
# What a customer pays, in cents: receipt.sh PRICE QUANTITY [PERCENT_OFF]
price=$1
quantity=$2
off=${3:-0}

total=$((price * quantity))
echo $((total - off))
"""

TEST = """\
# Each line: what is expected, then what receipt.sh is given.
failed=0

expect() {
  expected=$1
  shift
  got=$(bash receipt.sh "$@")
  if [ "$got" = "$expected" ]; then
    echo "ok    receipt $*: $got"
  else
    echo "FAIL  receipt $*: expected $expected, got $got"
    failed=1
  fi
}

expect 300 100 3
expect 450 250 2 10
expect 0 0 5
exit $failed
"""


def place(home: Path) -> Path:
    """Where folders of demos are: beside the home, as nothing that lies in there may be a project."""
    return home.with_name(f"{home.name}-demo")


def is_demo(home: Path, folder: str) -> bool:
    return Path(folder).parent == place(home).resolve()


def throw_away(home: Path, folder: str) -> None:
    """Delete the folder of a demo, and nothing else. Waits for the disk."""
    if is_demo(home, folder):
        shutil.rmtree(folder, ignore_errors=True)


def make(home: Path) -> Path:
    """A new folder with it. Waits for the disk."""
    beside = place(home)
    beside.mkdir(mode=0o700, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="shop-", dir=beside))
    for name, text in {"README.md": README, "receipt.sh": RECEIPT, "test.sh": TEST}.items():
        (folder / name).write_text(text, "utf-8")
    return folder
