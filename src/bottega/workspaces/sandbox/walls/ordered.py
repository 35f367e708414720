"""Which mounts a command of bubblewrap orders, so that the warden can compare them with what the kernel made."""

import os
from collections import Counter
from collections.abc import Sequence

from bottega.workspaces.sandbox.inside.mounts import Order, mount_name, mounts
from bottega.workspaces.sandbox.recipe import Descriptor

_PLACE = {
    **dict.fromkeys(("--tmpfs", "--proc", "--dev"), 1),
    **dict.fromkeys(("--bind", "--ro-bind", "--ro-bind-try"), 2),
}
"""Options that mount something, and which of their words says where."""


def ordered(command: Sequence[str | Descriptor], workspace: str) -> Order:
    """What `inside.mounts.strange` is to find. A place that is read-only once is so however often it is mounted."""
    times: Counter[str] = Counter({"/": 1})
    frozen, needed, hidden = {"/"}, {"/"}, set[str]()
    for at, word in enumerate(command):
        if word == "--":
            break
        if not isinstance(word, str) or word not in _PLACE:
            continue
        place = _told(str(command[at + _PLACE[word]]))
        times[place] += 1
        if word == "--tmpfs":
            hidden.add(place)
        elif word.startswith("--ro-bind"):
            frozen.add(place)
            needed |= {place} if word == "--ro-bind" else set()
    names = {place: mount_name(os.fsencode(place)) for place in times}
    return {
        "workspace": workspace,
        "times": {names[place]: many for place, many in times.items()},
        "frozen": sorted(names[place] for place in frozen),
        "needed": sorted(names[place] for place in needed),
        "hidden": sorted(names[place] for place in hidden),
        "along": _along(set(times)),
    }


def _told(place: str) -> str:
    """How the kernel tells a place: the links that a sandbox has itself, such as /lib, are followed, and no others."""
    top, _, rest = place.lstrip("/").partition("/")
    real = os.path.realpath(f"/{top}") if os.path.islink(f"/{top}") else f"/{top}"
    return f"{real}/{rest}" if rest else real


def _along(places: set[str]) -> list[str]:
    """Mounts of the machine that lie beneath what is mounted, and so come along; no program can have made them."""
    above = tuple(os.fsencode(place).rstrip(b"/") + b"/" for place in places - {"/"})
    return [
        mount_name(each.place, each.device, each.top)
        for each in mounts()
        if each.place.startswith(above)
    ]
