"""Names, origins and passes with something changed in them: none is taken for the real one."""

import random
import string

import pytest

from bottega.accounts.passes import Kind
from bottega.server.guard.names import Names
from bottega.server.house import House, Options
from bottega.server.who import PAGE_KEY, caller_of
from tests.hunt import SEED, examples

ODD = (
    string.ascii_letters
    + string.digits
    + string.punctuation
    + " \x00\x7f\u00df\u0131\u212a\u2024\uff0e\u3002@%[]"
)
HOSTS = ("127.0.0.1:8448", "localhost:8448", "[::1]:8448", "studio.example", "studio.example:8448")
SERVER = ("127.0.0.1", 8448)


def changed(dice: random.Random, text: str) -> str:
    """The text with one to three letters put in, left out, replaced, doubled or moved."""
    letters = list(text)
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(letters) + 1)
        match dice.randrange(5):
            case 0:
                letters.insert(at, dice.choice(ODD))
            case 1:
                del letters[at : at + dice.randint(1, 4)]
            case 2:
                letters[at : at + 1] = dice.choice(ODD)
            case 3:
                letters[at:at] = letters[at : at + 5]
            case _:
                letters = letters[at:] + letters[:at]
    return "".join(letters)


@pytest.mark.fuzz
def test_no_changed_name_or_origin_is_ours() -> None:
    dice = random.Random(SEED)
    names = Names(Options(allowed=("studio.example",)))
    ours = set(HOSTS)
    tried = 0
    for _ in range(examples(20_000, 1_000_000)):
        host = changed(dice, dice.choice(HOSTS))
        if host.lower() in ours:
            continue
        tried += 1
        assert not names.knows(host, False, SERVER), (SEED, host)
        assert not names.is_ours(f"http://{host}", False, SERVER), (SEED, host)
    assert tried > 10_000


@pytest.mark.fuzz
async def test_no_changed_pass_is_anybodys(house: House) -> None:
    dice = random.Random(SEED)
    given: dict[Kind, str] = {}
    for kind in ("token", "login"):
        given[kind] = await house.passes.give(house.people.host(), kind)
    carriers = {"token": (b"authorization", "Bearer "), "login": (b"cookie", "bottega-8448=")}
    for _ in range(examples(3_000, 100_000)):
        kind = dice.choice(list(carriers))
        name, before = carriers[kind]
        words = changed(dice, given[dice.choice(list(given))])
        value = f"{before}{words}".encode("latin-1", "replace")
        key = house.passes.page_key(told(value, "login")).encode()
        headers = [(name, value), (PAGE_KEY, key)]
        scope = {"type": "http", "method": "POST", "path": "/api/me", "headers": headers}
        found = caller_of(scope, house)
        assert (found is not None) == (told(value, kind) == given[kind]), (SEED, value)


def told(value: bytes, kind: Kind) -> str:
    """The words in a header: what stands around them, or in a cookie behind a semicolon, is no part of them."""
    text = value.decode("latin-1")
    if kind == "login":
        return text.removeprefix("bottega-8448=").partition(";")[0].rstrip()
    return text.removeprefix("Bearer ").strip()
