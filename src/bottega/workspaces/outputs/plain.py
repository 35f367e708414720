"""What a program printed for a terminal, as plain text: no escape sequences, no line but in its last state.

`PlainText` does so for bytes as they come. A line is settled once its end is known, so that a progress bar becomes one
line however its bytes were cut; only a line longer than `LONGEST` is settled piece by piece.
"""

import codecs
import re

LONGEST = 64 * 1024
"""Characters of a line that are held back until its end is known."""

_CONTROL_BYTES = bytes((*range(9), *range(11, 32), 127))
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n]*(?:\x07|\x1b\\|\x9c)"  # titles
    r"|\x1b[ -/]*[0-~]"
)
_CUT = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\n]*\x1b?|[ -/]*)\Z")


def plain(text: str) -> str:
    """The text as a reader would see it once the program had ended."""
    text = text.replace("\r\n", "\n")
    if not _CONTROL.search(text):
        return text
    text = _SEQUENCE.sub("", text)
    if "\r" in text or "\b" in text:
        text = "\n".join(map(_last_state, text.split("\n")))
    return _CONTROL.sub("", text)


def _last_state(line: str) -> str:
    if "\r" in line:
        line = next((each for each in reversed(line.split("\r")) if each.strip()), "")
    if "\b" not in line:
        return line
    kept: list[str] = []
    for each in line:
        if each != "\b":
            kept.append(each)
        elif kept:
            kept.pop()
    return "".join(kept)


class PlainText:
    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._simple = True
        """Nothing in what is held has to be taken out."""

    def feed(self, chunk: bytes) -> str:
        """The lines that are settled now."""
        chunk = chunk.replace(b"\r\n", b"\n")  # as a terminal ends lines
        simple = chunk.isascii() and len(chunk.translate(None, _CONTROL_BYTES)) == len(chunk)
        text = self._held + self._decoder.decode(chunk)
        end = text.rfind("\n") + 1
        while len(text) - end > LONGEST:
            end += LONGEST
        all_simple = self._simple and simple
        settled = text[:end]
        self._held = text[end:]
        self._simple = simple if end else all_simple
        return settled if all_simple else plain(settled)

    @property
    def partial(self) -> str:
        """The unfinished line as it stands now."""
        return plain(_CUT.sub("", self._held))

    def finish(self) -> str:
        """What was held back, when nothing more comes or what is there must do."""
        rest = plain(_CUT.sub("", self._held + self._decoder.decode(b"", final=True)))
        self._held, self._simple = "", True
        return rest
