"""JSON of few bytes that costs far more than it should: very many tiny values, or very deep ones."""

from collections.abc import Callable

MILLION = 1_000_000

CROWDED: dict[str, Callable[[int], str]] = {
    "lists": lambda n: "[" + "[]," * n + "1]",
    "numbers": lambda n: "[" + "1," * n + "1]",
    "texts": lambda n: "[" + '"",' * n + "1]",
    "objects": lambda n: "[" + "{}," * n + "1]",
    "fields": lambda n: "{" + ",".join(f'"{each:x}":1' for each in range(n)) + "}",
    "one field many times": lambda n: "{" + ",".join(['"a":[]'] * n) + "}",
    "after a text of quotes": lambda n: '["\\\\","\\",[",' + "[]," * n + "1]",
    "pairs": lambda n: "[" + "[[],[]]," * (n // 3) + "1]",
}
"""One JSON value of about that many values, by what it is made of."""

DEEP: dict[str, Callable[[int], str]] = {
    "lists": lambda n: "[" * n + "]" * n,
    "lists without an end": lambda n: "[" * n,
    "objects": lambda n: '{"a":' * n + "1" + "}" * n,
    "objects without an end": lambda n: '{"a":' * n,
    "both": lambda n: '[{"a":' * (n // 2) + "1" + "}]" * (n // 2),
}
"""One JSON value, or the beginning of one, with that many levels."""
