"""A program of its own: a URL and its page come in, the page's main text goes out as Markdown.

Apart from the studio, as some pages keep a reader busy for minutes: it can be ended, its time and
its memory are limited, and it knows nothing. It imports nothing of ours.
"""

import os
import resource
import sys

SECONDS = 10
_MEMORY = 1024 * 1024 * 1024
_NICE = 10
"""Behind everything that somebody waits for."""


def readable(page: str, url: str) -> str:
    """The main text of a page; empty where there is none."""
    from trafilatura import extract

    found = extract(
        page,
        url=url,
        output_format="markdown",
        include_links=True,
        include_comments=False,
        include_tables=True,
    )
    return found or ""


def main() -> None:
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    most = int(sys.argv[1])
    # A URL may hold what others on this machine must not see in the list of programs.
    url, _, page = sys.stdin.buffer.read().decode("utf-8", "replace").partition("\n")
    sys.stdout.buffer.write(readable(page, url)[:most].encode("utf-8", "replace"))


if __name__ == "__main__":
    main()
