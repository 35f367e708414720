"""`python -m bottega`, for those who have a Python rather than a PATH."""

import sys

if not sys.flags.safe_path:
    # Python put the current folder first. A file there, such as json.py, must not become a part of this program.
    del sys.path[0]

from bottega.cli.main import main  # noqa: E402

main()
