"""The hunt for a URL that is let through and leads in, or that other programs read differently."""

import ipaddress
import random
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from yarl import URL

from bottega.errors import Problem
from bottega.workspaces.network.address import verdict
from bottega.workspaces.network.guard import Guard
from bottega.workspaces.network.url import BadUrl, Place, follow, parse, parse_place
from tests.hunt import SEED, examples
from tests.workspaces.network.forms import LEADING_IN, LOOPBACK, PUBLIC, WHOLE

PIECES = [
    *("http", "https", "HTTP", "ftp", "file", "javascript", "://", ":", "/", "//", "\\", "@", "#", "?", ".", "..", "%"),
    *("%2e", "%00", "%40", "%2f", "[", "]", "::1", "::", "127.0.0.1", "127", "0x7f", "0177", "1", "0", "2130706433"),
    *("localhost", "example.org", "a", "xn--", "xn--a", "-", "_", "80", ":80", ":0", ":99999", "８", "。", "．", "①"),
    *("ß", "ü", "İ", "ſ"),
    *("K", "\u200d", "\u00ad", "\u202e", "\t", "\n", "\r", " ", "\0", "\x7f", "&", "=", ";", ",", "+"),
]  # fmt: skip
TEXT = st.one_of(
    st.from_regex(
        r"https?://[a-zA-Z0-9.\-]{1,20}(:[0-9]{1,5})?(/[!-~]{0,20})?(\?[!-~]{0,9})?", fullmatch=True
    ),
    st.tuples(st.sampled_from([*LEADING_IN, *PUBLIC]), st.text(max_size=5)).map(
        lambda made: f"http://{f'[{made[0]}]' if ':' in made[0] else made[0]}/{made[1]}"
    ),
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.tuples(st.sampled_from(["http://", "https://"]), st.text(max_size=40)).map("".join),
    st.tuples(st.sampled_from(WHOLE), st.text(max_size=3), st.integers(0, 60)).map(
        lambda made: made[0][: made[2]] + made[1] + made[0][made[2] :].replace("{p}", "80")
    ),
    st.tuples(st.sampled_from(LOOPBACK), st.sampled_from(PIECES), st.integers(0, 20)).map(
        lambda made: f"http://{made[0][: made[2]]}{made[1]}{made[0][made[2] :]}/"
    ),
)
ADDRESSES = st.one_of(
    st.sampled_from([*LEADING_IN, *PUBLIC]),
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map(str),
)


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Judged by another hand: Python's own tables, with what they leave open closed."""
    if address.version == 6 and address in ipaddress.IPv6Network("64:ff9b::/96"):
        address = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    inner = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
    return address.is_global and not address.is_multicast and not address.is_reserved and not inner


@pytest.mark.fuzz
@settings(max_examples=examples(400, 40_000), deadline=None)
@given(TEXT)
def test_whatever_is_accepted_is_read_alike_by_others(text: str) -> None:
    try:
        url = parse(text)
    except BadUrl:
        return
    whole = str(url)
    assert str(parse(whole)) == whole
    assert whole.isascii()
    assert not {" ", "\\", "\t", "\r", "\n", "#"} & set(whole)
    split = urlsplit(whole)
    assert (split.scheme, split.hostname, split.username) == (url.scheme, url.place.host, None)
    assert (split.port or {"http": 80, "https": 443}[url.scheme]) == url.place.port
    other = URL(whole, encoded=True)
    assert (other.scheme, other.raw_host, other.port) == (
        url.scheme,
        url.place.host,
        url.place.port,
    )
    assert other.raw_path_qs == url.path
    assert parse_place(str(url.place)) == url.place


@pytest.mark.fuzz
@settings(max_examples=examples(300, 40_000), deadline=None)
@given(TEXT, st.lists(ADDRESSES, min_size=1, max_size=3))
async def test_whatever_is_accepted_leads_to_public_addresses_only(
    text: str, leads: list[str]
) -> None:
    async def resolver(host: str, port: int) -> list[str]:
        return leads

    try:
        checked = await Guard(resolver=resolver).check(parse(text).place)
    except Problem:
        return
    assert checked.addresses
    assert all(is_public(address) for address in checked.addresses), checked


@pytest.mark.fuzz
@settings(max_examples=examples(300, 40_000), deadline=None)
@given(TEXT)
def test_a_redirect_is_a_whole_url_or_refused(text: str) -> None:
    try:
        found = follow(parse("https://example.org/a/b?c"), text)
    except BadUrl:
        return
    assert parse(str(found)) == found


@pytest.mark.fuzz
@settings(max_examples=examples(500, 100_000), deadline=None)
@given(ADDRESSES)
def test_no_address_is_public_that_another_judge_calls_private(text: str) -> None:
    address = ipaddress.ip_address(text)
    if verdict(address) is None:
        assert is_public(address), address


@pytest.mark.fuzz
@settings(max_examples=examples(200, 40_000), deadline=None)
@given(st.text(max_size=60))
def test_a_place_is_read_or_refused(text: str) -> None:
    try:
        place = parse_place(text)
    except BadUrl:
        return
    assert parse_place(str(place)) == place
    assert isinstance(place, Place)


def made(dice: random.Random) -> str:
    """A form that fools somebody, with a few characters changed."""
    kind = dice.random()
    if kind < 0.5:
        pieces = "".join(dice.choice(PIECES) for _ in range(dice.randint(1, 8)))
        return dice.choice(["http://", "https://", "HTTP://", ""]) + pieces
    text = dice.choice(WHOLE if kind < 0.8 else [*LOOPBACK, *LEADING_IN, *PUBLIC])
    start = dice.randint(0, len(text))
    text = text[:start] + dice.choice([*PIECES, ""]) + text[start + dice.randint(0, 2) :]
    return text.replace("{p}", "8080") if kind < 0.8 else f"http://{text}/"


@pytest.mark.fuzz
async def test_forms_with_a_few_characters_changed_lead_to_public_addresses_only() -> None:
    dice = random.Random(SEED)
    leads: list[str] = []

    async def resolver(host: str, port: int) -> list[str]:
        return leads

    guard = Guard(resolver=resolver)
    accepted = through = 0
    for _ in range(examples(20_000, 3_000_000)):
        leads[:] = [dice.choice([*LEADING_IN, *PUBLIC]) for _ in range(dice.randint(1, 2))]
        text = made(dice)
        try:
            url = parse(text)
            accepted += 1
            checked = await guard.check(url.place)
        except Problem:
            continue
        through += 1
        assert urlsplit(str(url)).hostname == url.place.host, text
        assert all(is_public(address) for address in checked.addresses), (text, checked)
    print(f"seed {SEED}: {accepted} were URLs, {through} were let through, 0 led in")
    assert through > 10
