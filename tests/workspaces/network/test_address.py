"""Which addresses are public: every special network of the registries, at its edges."""

import ipaddress
import socket

import pytest

from bottega.workspaces.network.address import is_of_this_machine, read, verdict
from tests.workspaces.network.forms import LEADING_IN, PUBLIC


@pytest.mark.parametrize("address", [each for each in LEADING_IN if "%" not in each])
def test_an_address_that_is_not_public_is_told_by_what_it_is(address: str) -> None:
    found = verdict(ipaddress.ip_address(address))
    assert found is not None
    assert found.words


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_beside_a_special_network_is_public(address: str) -> None:
    assert verdict(ipaddress.ip_address(address)) is None


@pytest.mark.parametrize(
    ("address", "words", "private"),
    [
        ("127.0.0.1", "loopback", False),
        ("10.1.2.3", "private", True),
        ("100.64.0.1", "carrier private", True),
        ("fd00::1", "private", True),
        ("169.254.169.254", "metadata", False),
        ("fd00:ec2::254", "metadata", False),
        ("100.100.100.200", "metadata", False),
        ("64:ff9b::7f00:1", "loopback", False),
        ("64:ff9b::a00:1", "private", True),
        ("::ffff:10.0.0.1", "embedded IPv4", False),
    ],
)
def test_only_private_networks_can_be_opened_as_a_network(
    address: str, words: str, private: bool
) -> None:
    found = verdict(ipaddress.ip_address(address))
    assert found is not None
    assert (found.words, found.private) == (words, private)


@pytest.mark.parametrize(
    "text", ["127.1", "0x7f.0.0.1", "0177.0.0.1", "fe80::1%lo", "localhost", ""]
)
def test_an_address_has_one_spelling(text: str) -> None:
    assert read(text) is None


def test_this_machine_knows_its_own_addresses() -> None:
    for address in ("127.0.0.1", "127.9.9.9"):
        assert is_of_this_machine(ipaddress.ip_address(address))
    if socket.has_ipv6:
        assert is_of_this_machine(ipaddress.ip_address("::1"))
    for address in ("8.8.8.8", "192.0.2.77", "2606:4700:4700::1111"):
        assert not is_of_this_machine(ipaddress.ip_address(address))
