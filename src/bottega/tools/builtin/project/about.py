"""`get_project_info`: what lies in the workspace, at one look: git, languages, size, scripts, instructions."""

import asyncio
from typing import Any

from bottega.approvals.touch import Touch
from bottega.tools.context import Context
from bottega.tools.project import git
from bottega.tools.project.opened import Denied
from bottega.tools.project.papers import papers
from bottega.tools.project.scripts import MANIFESTS, scripts
from bottega.tools.project.tree import counted
from bottega.tools.tool import Outcome, Tool, success
from bottega.workspaces.confine import Root

_TOP = 60


async def run(arguments: dict[str, Any], context: Context) -> Outcome:
    root = context.root
    top, state, size, told = await asyncio.gather(
        asyncio.to_thread(_top, root),
        git.state(root),
        counted(root),
        asyncio.to_thread(_told, root, context.is_denied),
    )
    languages = size.pop("languages", {})
    result = {"path": root.path, **top, "git": state, "size": size, "languages": languages}
    return success({name: each for name, each in {**result, **told}.items() if each != {}})


def _told(root: Root, denied: Denied) -> dict[str, Any]:
    return {"scripts": scripts(root, denied), "instructions": papers(root, denied)}


def _top(root: Root) -> dict[str, Any]:
    entries = root.list(".").entries
    shown = [each.name + ("/" if each.kind == "folder" else "") for each in entries]
    manifests = [name for name in MANIFESTS if name in set(shown)]
    more = [f"… and {len(shown) - _TOP:,} more"] if len(shown) > _TOP else []
    return {"entries": shown[:_TOP] + more, **({"manifests": manifests} if manifests else {})}


def touch(arguments: dict[str, Any], root: Root) -> Touch:
    return Touch(reads=(".",))


GET_PROJECT_INFO = Tool(
    name="get_project_info",
    description=(
        "Look at the project in the workspace as a whole: the state of git (branch, ahead and "
        "behind, what has changed), languages and size, scripts that it names, and the beginning "
        "of its instructions (AGENTS.md, README). A good first step."
    ),
    schema={"type": "object", "properties": {}, "additionalProperties": False},
    category="PROJECT",
    effects=frozenset({"read"}),
    run=run,
    touch=touch,
    examples=({},),
)
