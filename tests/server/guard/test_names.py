"""The names that a server answers to, and the origins that may ask it."""

import pytest

from bottega.errors import BadUsage
from bottega.server.guard.names import Names, is_loopback
from bottega.server.house import Options

HERE = ("127.0.0.1", 8448)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8448", "localhost:8448", "LOCALHOST:8448", "[::1]:8448"]
)
def test_a_server_of_this_machine_answers_to_the_machines_own_names(host: str) -> None:
    assert Names(Options()).knows(host, False, HERE)


@pytest.mark.parametrize(
    "host",
    [
        *("", "evil.example", "evil.example:8448", "127.0.0.1", "localhost", "127.0.0.1:80"),
        *("127.0.0.1:84480", "127.0.0.1:8448.evil.example", "127.0.0.1:8448@evil.example"),
        *("localhost.:8448", "localhost.evil.example:8448", "0.0.0.0:8448", "127.1:8448"),
        *("2130706433:8448", "[::ffff:127.0.0.1]:8448", "10.0.0.5:8448", "127.0.0.1:8448, x"),
    ],
)
def test_no_other_name_leads_in(host: str) -> None:
    assert not Names(Options()).knows(host, False, HERE)


def test_the_address_at_which_a_connection_arrived_is_ours() -> None:
    names = Names(Options(host="0.0.0.0"))
    assert names.knows("192.168.1.7:8448", False, ("192.168.1.7", 8448))
    assert names.knows("192.168.1.7:8448", False, ("::ffff:192.168.1.7", 8448))
    assert names.knows("[fe80::1]:8448", False, ("fe80::1", 8448))
    assert not names.knows("192.168.1.8:8448", False, ("192.168.1.7", 8448))
    assert not names.knows("192.168.1.7:8448", False, None)
    assert names.knows("localhost:8448", False, ("127.0.0.1", 8448))


def test_the_port_of_the_scheme_may_be_left_out() -> None:
    names = Names(Options(port=443))
    assert names.knows("localhost", True, None)
    assert not names.knows("localhost", False, None)
    assert Names(Options(port=80)).knows("localhost", False, None)
    assert Names(Options(host="10.0.0.5", port=80)).knows("10.0.0.6", False, ("10.0.0.6", 80))


def test_names_that_were_allowed_are_known_with_and_without_our_port() -> None:
    names = Names(Options(allowed=("Studio.example", "other.example:9000", "[fe80::2]:9001")))
    for host in ("studio.example", "studio.example:8448", "other.example:9000", "[fe80::2]:9001"):
        assert names.knows(host, True, None), host
    for host in ("other.example", "other.example:8448", "x.studio.example", "studio.example:1"):
        assert not names.knows(host, True, None), host


@pytest.mark.parametrize("name", ["*", "*.example", "http://x", "a b", "", "x/y", "x:y", "-", "x:"])
def test_what_is_no_name_is_refused_when_the_server_starts(name: str) -> None:
    with pytest.raises(BadUsage, match="no name of a host"):
        Names(Options(allowed=(name,)))


def test_an_origin_is_ours_by_scheme_name_and_port() -> None:
    names = Names(Options())
    assert names.is_ours("http://127.0.0.1:8448", False, HERE)
    assert names.is_ours("http://localhost:8448", False, HERE)
    for origin in (
        *("null", "", "http://", "127.0.0.1:8448", "https://127.0.0.1:8448", "file://"),
        *("http://127.0.0.1:3000", "http://evil.example", "http://127.0.0.1:8448.evil.example"),
        *("http://127.0.0.1:8448/", "http://x@127.0.0.1:8448", "chrome-extension://abc"),
    ):
        assert not names.is_ours(origin, False, HERE), origin
    assert names.is_ours("https://127.0.0.1:8448", True, HERE)


def test_who_can_reach_an_address_is_told_by_its_numbers() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "127.8.8.8", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "10.0.0.1", "studio.example")))
