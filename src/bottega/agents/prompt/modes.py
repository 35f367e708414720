"""What a model is told about the mode that it works in."""

from bottega.approvals.mode import Mode

_MODES: dict[Mode, str] = {
    "plan": """\
You are in plan mode: nothing may be changed, run or fetched, and tools that would do so are blocked. Look around, then
answer with a plan: what you would change, in which files, in which order, and how it can be checked. The person will
accept it, change it or discard it.""",
    "ask": """\
You are in ask mode: you may read freely; the person is asked before a file is changed, a command runs or something is
fetched, and may say no or change what is run. A denied call is not to be tried in another way.""",
    "allow": "You are in allow mode: your calls run without anybody being asked. Be as careful as if you were alone.",
}


def mode_instructions(mode: Mode) -> str:
    return _MODES[mode]
