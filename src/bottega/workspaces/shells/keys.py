"""The keys of a terminal by their names, as the bytes that a terminal sends for them."""

KEYS = {
    **{f"ctrl-{letter}": chr(ord(letter) - 96) for letter in "abcdefghijklmnopqrstuvwxyz"},
    "ctrl-\\": "\x1c",
    "enter": "\r",
    "tab": "\t",
    "escape": "\x1b",
    "space": " ",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "page-up": "\x1b[5~",
    "page-down": "\x1b[6~",
}

STOPPING = frozenset({"ctrl-c", "ctrl-d", "ctrl-z", "ctrl-\\"})
"""Keys that only stop or end what runs."""
