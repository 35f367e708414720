"""`python -m bottega`, for those who have a Python rather than a PATH."""

from bottega.cli.main import main

main()
