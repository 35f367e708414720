"""How many sandboxes a person may have: counted over all processes of a home, and given back when one dies."""

from pathlib import Path

import pytest

from bottega.errors import Refused
from bottega.workspaces.confine import Root
from bottega.workspaces.sandbox.local import Local
from bottega.workspaces.sandbox.places import Allowance, Places
from tests import processes
from tests.workspaces.sandbox.needs import needs_bubblewrap


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "places", lambda: Allowance(sandboxes=2))


def test_one_person_may_have_so_many_and_another_as_many_again(places: Places) -> None:
    held = [places.take(1), places.take(1)]
    with pytest.raises(Refused, match="2 sandboxes are open") as refused:
        places.take(1)
    assert "person_sandboxes" in refused.value.hint
    others = [places.take(2), places.take(2)]
    held[0].leave()
    held[0].leave()
    again = places.take(1)
    for place in (held[1], again, *others):
        place.leave()


HOLDING = """
    import os, signal
    from pathlib import Path
    from bottega.workspaces.sandbox.places import Allowance, Places
    places = Places(Path("PLACES"), lambda: Allowance(sandboxes=2))
    held = [places.take(1), places.take(1)]
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_places_of_a_process_that_died_are_free_at_once(places: Places, tmp_path: Path) -> None:
    processes.run(HOLDING.replace("PLACES", str(tmp_path / "places")))
    places.take(1).leave()


@needs_bubblewrap
async def test_a_sandbox_holds_its_place_until_it_is_closed(places: Places, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    local = Local(tmp_path / "state", places=places)
    opened = [await local.open(Root(tmp_path / "work"), person=1) for _ in range(2)]
    with pytest.raises(Refused):
        await local.open(Root(tmp_path / "work"), person=1)
    await opened[0].close()
    await (await local.open(Root(tmp_path / "work"), person=1)).close()
    await opened[1].close()
