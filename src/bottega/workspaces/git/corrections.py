"""What a verdict says is done to the file."""

from bottega.errors import Problem
from bottega.workspaces.confine import Root
from bottega.workspaces.git import files
from bottega.workspaces.git.judge import Verdict


def correct(root: Root, path: str, verdict: Verdict) -> None:
    """Raises `OSError` or a `Problem` where it cannot be done."""
    if verdict.problem:
        raise Problem(verdict.problem)
    if verdict.apart:
        files.set_apart(root, path)
    elif verdict.content is None:
        files.remove(root, path)
    else:
        files.write(root, path, verdict.content, verdict.mode)
