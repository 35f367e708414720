"""What a person has to see of a call to decide on it, as an ask."""

from typing import Any

import msgspec

from bottega.alike import Budget
from bottega.approvals.touch import Touch
from bottega.approvals.verdict import Verdict
from bottega.events import facts
from bottega.messages.block import ToolUse
from bottega.tools.tool import Tool
from bottega.workers.acting.scene import Scene
from bottega.workspaces.changes.diff import Difference
from bottega.workspaces.edit import Change

CHOICES = ("allow_once", "allow_all", "deny", "edit", "stop")


def asked(
    use: ToolUse,
    touch: Touch,
    verdict: Verdict,
    change: Change | None,
    bound: str,
    sandbox: str,
    mark: str = "",
) -> facts.ApprovalRequired:
    """The ask about one call; its arguments stand in the answer, and are not told again."""
    detail: dict[str, Any] = {"reason": verdict.reason, "offers": list(map(str, verdict.offers))}
    if mark:
        detail["fingerprint"] = mark
    if change is not None:
        detail["diff"] = diff(change)
    if touch.command:
        detail |= {"command": touch.command, "sandbox": sandbox}
    if touch.url:
        detail["url"] = touch.url
    if touch.network:
        detail["network"] = True
    return facts.ApprovalRequired(
        "", "tool", use.id, use.name, bound, f"Run {use.name}?", CHOICES, detail
    )


def fingerprint(tool: Tool | None) -> str:
    """The hash of a tool's definition, where it comes from somebody who may change it; else empty."""
    return str(tool.settings.get("fingerprint", "")) if tool else ""


def diff(change: Change) -> str:
    """A unified diff of all edits, for a person to read; of what is no text, that it changes."""
    budget = Budget()
    return b"".join(
        line
        for edit in change.edits
        for line in Difference(edit.path, edit.before, edit.after, to_be_read=True).lines(budget)
    ).decode("utf-8", "replace")


def by_child(asked: facts.ApprovalRequired, scene: Scene) -> facts.ApprovalRequired:
    """What a child asks says so: it is asked in the session at the top."""
    if scene.parent is None:
        return asked
    child = {"session_id": scene.session.id, "agent": scene.plan.agent.slug, "call": _call(scene)}
    return msgspec.structs.replace(asked, detail={**asked.detail, "child": child})


def _call(scene: Scene) -> str:
    """The call of the session at the top under which this one works."""
    while scene.parent and scene.parent.parent:
        scene = scene.parent
    return scene.session.parent_call.split("/", 2)[-1]
