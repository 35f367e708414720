"""The other Bottega: a real server, with an agent whose model says what a test wrote down."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bottega.agents.agent import Whereabouts
from bottega.agents.spec import Spec
from bottega.agents.written import written
from bottega.origin import origin_of
from bottega.spending.approved import ApprovedAgents
from bottega.spending.key import KeyRing
from tests.server.conftest import serving, shared
from tests.server.serving import Serving

__all__ = ["serving", "shared"]

Hire = Callable[..., Spec]


def remote_file(home: Path, where: Whereabouts, token: str, slug: str = "afar") -> None:
    """Put a remote agent on the shelf of a home, and keep its token there."""
    (home / "agents").mkdir(parents=True, exist_ok=True)
    (home / "agents" / f"{slug}.toml").write_text(
        written(Spec(slug=slug, name="Afar", remote=where))
    )
    KeyRing(home).set(where.token_name, token, origin_of(where.address))
    ApprovedAgents(home).approve(slug, where)


def agent_there(server: Serving, model: str, slug: str = "doer", mode: str = "") -> str:
    """Put an agent on the shelf of a server; its slug."""
    folder = server.home / "agents"
    folder.mkdir(exist_ok=True)
    lines = [f'system_prompt = "You do it."\nmodel = "{model}"', f'mode = "{mode}"' if mode else ""]
    (folder / f"{slug}.toml").write_text("\n".join(lines) + "\n")
    return slug


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The home in which the sessions of a test are."""
    place = tmp_path / "here"
    place.mkdir()
    return place


@pytest.fixture
def hire(here: Path, scripted: Callable[..., str]) -> Hire:
    """A remote agent of this home: on a server, on a model that plays these turns."""

    def make(
        server: Serving, *turns: object, address: str = "", slug: str = "doer", **options: object
    ) -> Spec:
        agent_there(server, scripted(*turns, name=slug, **options), slug)
        where = Whereabouts(address or server.address, slug)
        KeyRing(here).set(where.token_name, server.token(), origin_of(where.address))
        ApprovedAgents(here).approve("afar", where)
        return Spec(slug="afar", name="Afar", remote=where)

    return make
