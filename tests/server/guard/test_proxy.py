"""What a proxy says counts from proxies that were named, and from nobody else."""

from typing import Any

import pytest

from bottega.errors import BadUsage
from bottega.server.guard.proxy import Proxies

SAID = {
    b"host": b"inner:8448",
    b"x-forwarded-for": b"6.6.6.6, 203.0.113.9",
    b"x-forwarded-proto": b"https",
    b"x-forwarded-host": b"studio.example",
}


def heard(proxies: Proxies, peer: str, **changed: bytes) -> tuple[Any, str, bytes]:
    headers = {
        **SAID,
        **{name.replace("_", "-").encode(): value for name, value in changed.items()},
    }
    scope = {
        "type": "http",
        "client": (peer, 5000),
        "scheme": "http",
        "headers": list(headers.items()),
    }
    proxies.hear(scope, headers)
    assert dict(scope["headers"])[b"host"] == headers[b"host"]
    return scope["client"], str(scope["scheme"]), headers[b"host"]


def test_a_named_proxy_says_who_asks_how_and_for_what_name() -> None:
    assert heard(Proxies(["10.0.0.2"]), "10.0.0.2") == (
        ("203.0.113.9", 0),
        "https",
        b"studio.example",
    )


@pytest.mark.parametrize("peer", ["10.0.0.3", "127.0.0.1", "::1", "no address"])
def test_nobody_else_is_believed(peer: str) -> None:
    unchanged = ((peer, 5000), "http", b"inner:8448")
    assert heard(Proxies(["10.0.0.2"]), peer) == unchanged
    assert heard(Proxies([]), peer) == unchanged


def test_what_a_client_put_before_the_chain_is_not_believed() -> None:
    client, _, _ = heard(Proxies(["10.0.0.2"]), "10.0.0.2", x_forwarded_for=b"127.0.0.1, 1.2.3.4")
    assert client == ("1.2.3.4", 0)


def test_proxies_behind_each_other_are_passed_over() -> None:
    client, _, _ = heard(
        Proxies(["10.0.0.0/24"]), "::ffff:10.0.0.2", x_forwarded_for=b"6.6.6.6, 1.2.3.4, 10.0.0.7"
    )
    assert client == ("1.2.3.4", 0)


@pytest.mark.parametrize("chain", [b"", b"unknown", b"1.2.3.4, garbage", b"10.0.0.2", b","])
def test_a_chain_that_makes_no_sense_leaves_the_proxy_as_the_client(chain: bytes) -> None:
    client, _, _ = heard(Proxies(["10.0.0.2"]), "10.0.0.2", x_forwarded_for=chain)
    assert client == ("10.0.0.2", 5000)


def test_a_scheme_that_is_none_is_not_taken() -> None:
    assert heard(Proxies(["10.0.0.2"]), "10.0.0.2", x_forwarded_proto=b"gopher")[1] == "http"
    assert heard(Proxies(["10.0.0.2"]), "10.0.0.2", x_forwarded_proto=b"http, https")[1] == "https"


@pytest.mark.parametrize("address", ["*", "proxy.example", "10.0.0.2/8", ""])
def test_a_proxy_is_named_in_numbers(address: str) -> None:
    with pytest.raises(BadUsage, match="no address of a proxy"):
        Proxies([address])
