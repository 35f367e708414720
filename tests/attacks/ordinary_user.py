"""Part of a test as an ordinary user: root may read and write whatever a mode forbids, and most people are not root."""

import os
import pickle
import traceback
from collections.abc import Callable
from typing import Any

from tests.workspaces.sandbox.rooms import OWNER, ROOT


def as_ordinary_user(work: Callable[..., Any], *arguments: Any) -> Any:
    """What it returns, from a process of its own that is not root's; without root, from this one."""
    if not ROOT:
        return work(*arguments)
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(OWNER)
            os.setuid(OWNER)
            answer = (True, work(*arguments))
        except BaseException:
            answer = (False, traceback.format_exc())
        with os.fdopen(theirs, "wb") as file:
            file.write(pickle.dumps(answer))
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as file:
        well, said = pickle.loads(file.read())
    os.waitpid(child, 0)
    assert well, said
    return said
