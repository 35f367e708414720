"""The agents that come with the house, one TOML file each; read when one is first needed, and kept."""

from functools import cache
from pathlib import Path

from bottega.agents.spec import Spec, read

ORDER = ("assistant", "coder", "planner", "reviewer", "explainer", "site-builder")


@cache
def house() -> dict[str, Spec]:
    """By slug, in the order in which they are listed."""
    folder = Path(__file__).parent
    paths = {slug: folder / f"{slug}.toml" for slug in ORDER}
    return {
        slug: read(path.read_text("utf-8"), str(path), slug=slug) for slug, path in paths.items()
    }
