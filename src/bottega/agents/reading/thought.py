"""The thought that an agent says before it acts, taken out of its answer.

A thought begins with its label and ends at an empty line, at the next label, at a line of JSON, at a call or at a
signal; code that stands in it without an empty line before belongs to it. `ACTION:` and `ANSWER:` are part of the
form: they go with the thought, what follows them stays.
"""

THOUGHT_FORM = """\
Before you act or answer, say what you think: a line that begins with THOUGHT: and as many lines as you need, \
without an empty line between them. An empty line ends the thought. Then make your calls; or, when nothing is \
left to do, write ANSWER: and what the user is to read. The thought is shown apart from the answer. For example:

THOUGHT: The user wants another port. I have to see the settings first.

ANSWER: The port is now 8080."""
