"""What a person has to see of a call to decide on it, as an ask."""

import difflib
from typing import Any

from bottega.approvals.touch import Touch
from bottega.approvals.verdict import Verdict
from bottega.events import facts
from bottega.messages.block import ToolUse
from bottega.workspaces.edit import Change, Edit

CHOICES = ("allow_once", "allow_all", "deny", "edit", "stop")


def asked(
    use: ToolUse,
    touch: Touch,
    verdict: Verdict,
    change: Change | None,
    bound: str,
    sandbox: str,
) -> facts.ApprovalRequired:
    """The ask about one call; its arguments stand in the answer, and are not told again."""
    detail: dict[str, Any] = {"reason": verdict.reason, "offers": list(map(str, verdict.offers))}
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


def diff(change: Change) -> str:
    """A unified diff of all edits; of what is no text, that it changes and how large it is."""
    return "".join(map(_of_file, change.edits))


def _of_file(edit: Edit) -> str:
    old = f"a/{edit.path}" if edit.before is not None else "/dev/null"
    new = f"b/{edit.path}" if edit.after is not None else "/dev/null"
    try:
        before, after = (
            content.decode() if content else "" for content in (edit.before, edit.after)
        )
    except UnicodeDecodeError:
        sizes = tuple(len(content or b"") for content in (edit.before, edit.after))
        return f"--- {old}\n+++ {new}\nBinary file: {sizes[0]:,} bytes become {sizes[1]:,} bytes.\n"
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), old, new
    )
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
