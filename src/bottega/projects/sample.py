"""A small project to try things out in, for a server that is started where none can be. Made once, then the user's."""

import os
from pathlib import Path

README = """\
# Word count

Counts the lines, words and letters of a text. Bottega made this folder, so that there is something to work on;
change it as you like, or throw it away.

    python3 count.py poem.txt
    python3 test_count.py
"""

COUNT = '''\
"""Counts the lines, words and letters of a file: python3 count.py FILE"""

import sys


def counted(text):
    return {"lines": text.count("\\n"), "words": len(text.split(" ")), "letters": len(text)}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        for name, number in counted(file.read()).items():
            print(f"{number:6} {name}")
'''

TEST = '''\
"""python3 test_count.py"""

import unittest

from count import counted


class Counted(unittest.TestCase):
    def test_words_of_one_line(self):
        self.assertEqual(counted("one two three")["words"], 3)

    def test_words_of_two_lines(self):
        self.assertEqual(counted("one two\\nthree")["words"], 3)


if __name__ == "__main__":
    unittest.main()
'''

POEM = """\
In the corner of the workshop
stands a chair that nobody made,
and every morning somebody sits in it.
"""

FILES = {"README.md": README, "count.py": COUNT, "test_count.py": TEST, "poem.txt": POEM}


def make(home: Path) -> Path:
    """The folder, beside the home; what is there already stays as it is. Waits for the disk."""
    folder = home.with_name(f"{home.name}-projects") / "sample"
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        return folder
    for name, text in FILES.items():
        file = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
        with os.fdopen(file, "w", encoding="utf-8") as written:
            written.write(text)
    return folder
