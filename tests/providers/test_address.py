"""What is read off addresses: logins are taken out, the right proxy is found."""

import pytest

from bottega.providers.http.address import is_loopback, login_of, origin, proxy_for, without_login
from bottega.providers.provider import WireRequest

PROXIES = {"http": "http://plain:1", "https": "tls:2", "no": "example.com, .inner.net 10.0.0.0/8"}


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://user:secret@host.test:8443/v1/x?key=secret", "https://host.test:8443"),
        ("http://[::1]:80/v1", "http://[::1]:80"),
        ("host.test", "host.test"),
        ("", ""),
        ("http://[::1", "an address that cannot be read"),
    ],
)
def test_of_an_address_only_scheme_host_and_port_are_said(url: str, said: str) -> None:
    assert origin(url) == said


@pytest.mark.parametrize("host", ["localhost", "a.localhost", "127.0.0.1", "127.9.9.9", "::1"])
def test_the_machine_itself_is_known(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["", "localhost.evil.test", "10.0.0.1", "128.0.0.1", "0.0.0.0"])
def test_other_machines_are_not_this_one(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://host.test/", "http://plain:1"),
        ("https://host.test/", "http://tls:2"),
        ("http://127.0.0.1:11434/", ""),
        ("http://localhost/", ""),
        ("https://example.com/", ""),
        ("https://api.example.com/", ""),
        ("https://notexample.com/", "http://tls:2"),
        ("https://deep.inner.net/", ""),
        ("https://inner.net/", ""),
        ("https://10.2.3.4/", ""),
        ("https://11.2.3.4/", "http://tls:2"),
        ("ftp://host.test/", ""),
    ],
)
def test_the_proxy_is_chosen_by_scheme_and_exemption(url: str, proxy: str) -> None:
    assert proxy_for(url, PROXIES) == proxy


@pytest.mark.parametrize(
    ("exempt", "url", "used"),
    [
        ("*", "https://host.test/", False),
        ("host.test:443", "https://host.test/", False),
        ("host.test:8443", "https://host.test/", True),
        ("HOST.test", "https://host.TEST/", False),
        ("*.test", "https://host.test/", False),
        ("[fd00::1]", "https://[fd00::1]/", False),
        ("fd00::1", "https://[fd00::1]/", False),
        ("[fd00::1]:443", "https://[fd00::1]/", False),
        ("fd00::/8", "https://[fd00::1]/", False),
        ("no/network", "https://10.0.0.1/", True),
        ("", "https://host.test:99999/", True),
    ],
)
def test_exemptions_name_hosts_ports_and_networks(exempt: str, url: str, used: bool) -> None:
    assert bool(proxy_for(url, {"all": "http://p:1", "no": exempt})) is used


def test_a_login_in_an_address_becomes_a_header() -> None:
    sent = WireRequest("http://ann:p%40ss@host.test:1/v1?x=1", {"X": "1"}, b"body", ("note",))
    clean = without_login(sent)
    assert clean.url == "http://host.test:1/v1?x=1"
    assert clean.headers == {"X": "1", "Authorization": "Basic YW5uOnBAc3M="}
    assert (clean.body, clean.notices) == (b"body", ("note",))
    assert login_of(sent.url) == ("ann", "p@ss")


def test_a_key_goes_before_a_login() -> None:
    sent = WireRequest("http://ann:pw@host.test/", {"authorization": "Bearer k"}, b"")
    assert without_login(sent).headers == {"authorization": "Bearer k"}


def test_an_address_without_login_stays_as_it_is() -> None:
    sent = WireRequest("http://host.test/", {}, b"")
    assert without_login(sent) is sent
