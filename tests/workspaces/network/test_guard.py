"""The guard: one look-up, every address checked, and what a person has opened, closed or listens on."""

import asyncio
import ipaddress
import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from bottega.errors import Misconfigured
from bottega.workspaces.network.allowed import Hosts
from bottega.workspaces.network.guard import AddressRefused, Guard, Unreachable, look_up
from bottega.workspaces.network.url import Place
from tests.workspaces.network.forms import LEADING_IN, PUBLIC
from tests.workspaces.network.places import Names

PUBLIC_ONE, PUBLIC_TWO = "93.184.216.34", "2606:4700:4700::1111"


def leading(*answers: Sequence[str]) -> Names:
    names = Names()
    names.set("name.example", *answers)
    return names


async def test_a_public_place_is_let_through_with_the_addresses_that_were_checked() -> None:
    names = leading([PUBLIC_ONE, PUBLIC_TWO])
    checked = await Guard(resolver=names).check(Place("name.example", 443))
    assert [str(each) for each in checked.addresses] == [PUBLIC_ONE, PUBLIC_TWO]
    assert names.asked == ["name.example"]
    assert not checked.opened


@pytest.mark.parametrize("address", LEADING_IN)
@pytest.mark.parametrize("place", ["alone", "first", "last"])
async def test_one_bad_address_refuses_the_name(address: str, place: str) -> None:
    answers = {"alone": [address], "first": [address, PUBLIC_ONE], "last": [PUBLIC_ONE, address]}
    with pytest.raises(AddressRefused, match=r"name\.example:443 may not be reached"):
        await Guard(resolver=leading(answers[place])).check(Place("name.example", 443))


@pytest.mark.parametrize("address", PUBLIC)
async def test_a_public_number_needs_no_look_up(address: str) -> None:
    names = leading()
    checked = await Guard(resolver=names).check(Place(address, 443))
    assert [str(each) for each in checked.addresses] == [address]
    assert names.asked == []


async def test_the_reason_names_what_is_wrong() -> None:
    with pytest.raises(AddressRefused, match="it leads to 10.0.0.1, a private address"):
        await Guard(resolver=leading(["10.0.0.1"])).check(Place("name.example", 80))
    with pytest.raises(
        AddressRefused, match=r"^127.0.0.1:80 may not be reached: a loopback address.$"
    ):
        await Guard().check(Place("127.0.0.1", 80))


@pytest.mark.parametrize(
    "host", ["localhost", "a.localhost", "printer.local", "metadata.google.internal", "db", "nas.lan", "x.home.arpa"]
)  # fmt: skip
async def test_a_name_of_the_local_network_is_not_even_looked_up(host: str) -> None:
    names = Names()
    names.set(host, [PUBLIC_ONE])
    with pytest.raises(AddressRefused, match="local network"):
        await Guard(resolver=names).check(Place(host, 80))
    assert names.asked == []


async def test_a_name_that_nobody_knows_says_so() -> None:
    for names in (Names(), leading([])):
        with pytest.raises(Unreachable, match=r"name\.example"):
            await Guard(resolver=names).check(Place("name.example", 80))


async def test_a_look_up_that_never_ends_is_given_up() -> None:
    async def silent(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        raise AssertionError

    with pytest.raises(Unreachable, match="was not found in time"):
        await Guard(resolver=silent, patience=0.02).check(Place("name.example", 80))


async def test_mail_cannot_be_sent() -> None:
    for port in (25, 465, 587):
        with pytest.raises(AddressRefused, match="mail"):
            await Guard(resolver=leading([PUBLIC_ONE])).check(Place("name.example", port))


async def test_the_systems_look_up_gives_numbers() -> None:
    assert {ipaddress.ip_address(each).is_loopback for each in await look_up("localhost", 80)} == {
        True
    }


class TestOpened:
    async def test_a_private_network_can_be_opened(self) -> None:
        guard = Guard(resolver=leading(["10.1.2.3"]), private=["10.1.0.0/16", "fd00:1::/32"])
        assert (await guard.check(Place("name.example", 80))).opened
        assert (await guard.check(Place("10.1.255.255", 80))).opened
        assert (await guard.check(Place("fd00:1::9", 80))).opened
        with pytest.raises(AddressRefused):
            await guard.check(Place("10.2.0.1", 80))

    async def test_one_address_outside_the_opened_network_still_refuses_the_name(self) -> None:
        guard = Guard(resolver=leading(["10.1.2.3", "10.2.0.1"]), private=["10.1.0.0/16"])
        with pytest.raises(AddressRefused):
            await guard.check(Place("name.example", 80))

    async def test_a_place_is_opened_at_its_port_alone(self) -> None:
        names = Names()
        names.set("registry.internal", ["10.0.0.5"])
        guard = Guard(resolver=names, private=["registry.internal:443"])
        assert (await guard.check(Place("registry.internal", 443))).opened
        with pytest.raises(AddressRefused):
            await guard.check(Place("registry.internal", 80))
        with pytest.raises(AddressRefused):
            await guard.check(Place("10.0.0.5", 443))

    @pytest.mark.parametrize(
        "wide", ["0.0.0.0/0", "::/0", "100.64.0.0/10", "fc00::/7", "169.254.0.0/16"]
    )
    async def test_no_network_opens_this_machine_or_its_metadata(self, wide: str) -> None:
        guard = Guard(private=[wide])
        for host in (
            "127.0.0.1",
            "::1",
            "169.254.169.254",
            "100.100.100.200",
            "fd00:ec2::254",
            "0.0.0.0",
        ):
            with pytest.raises(AddressRefused):
                await guard.check(Place(host, 80))

    async def test_loopback_is_opened_only_by_its_exact_name_and_port(self) -> None:
        guard = Guard(private=["127.0.0.1:8080"])
        assert (await guard.check(Place("127.0.0.1", 8080))).opened
        for place in (Place("127.0.0.1", 8081), Place("127.0.0.2", 8080), Place("localhost", 8080)):
            with pytest.raises(AddressRefused):
                await guard.check(place)

    @pytest.mark.parametrize("entry", ["127.0.0.0/8", "127.0.0.1", "::1", "::1/128"])
    def test_a_network_of_this_machine_is_refused_as_a_setting(self, entry: str) -> None:
        with pytest.raises(Misconfigured, match="this machine itself"):
            Guard(private=[entry])

    @pytest.mark.parametrize("entry", ["registry.internal", "10.0.0.0/99", "http://x/", "", "*:80"])
    def test_an_entry_that_is_neither_network_nor_place_is_refused(self, entry: str) -> None:
        with pytest.raises(Misconfigured, match="neither a network nor a host"):
            Guard(private=[entry])


class TestOwn:
    async def test_the_studio_itself_is_never_reached_even_where_it_was_opened(self) -> None:
        own = {("127.0.0.1", 7000)}
        guard = Guard(private=["127.0.0.1:7000", "127.0.0.1:7001"], own=lambda: own)
        with pytest.raises(AddressRefused, match="the studio itself"):
            await guard.check(Place("127.0.0.1", 7000))
        assert (await guard.check(Place("127.0.0.1", 7001))).opened
        own.add(("0.0.0.0", 7001))
        with pytest.raises(AddressRefused, match="the studio itself"):
            await guard.check(Place("127.0.0.1", 7001))

    async def test_a_public_address_on_which_the_studio_listens_is_refused(self) -> None:
        guard = Guard(resolver=leading([PUBLIC_ONE]), own=lambda: [(PUBLIC_ONE, 443)])
        with pytest.raises(AddressRefused, match="the studio itself"):
            await guard.check(Place("name.example", 443))
        assert await guard.check(Place("name.example", 80))


class TestHosts:
    async def test_a_list_of_allowed_hosts_closes_all_others(self) -> None:
        hosts = Hosts(allow=("example.org", "*.Example.com"), deny=("bad.example.com",))
        names = Names()
        names.set("example.org", [PUBLIC_ONE])
        names.set("a.b.example.com", [PUBLIC_ONE])
        guard = Guard(resolver=names, hosts=hosts)
        for host in ("example.org", "a.b.example.com"):
            assert await guard.check(Place(host, 80))
        for host in (
            "example.com",
            "notexample.com",
            "x.example.org",
            "example.org.evil.net",
            "8.8.8.8",
        ):
            with pytest.raises(AddressRefused, match="not on the list of allowed hosts"):
                await guard.check(Place(host, 80))
        with pytest.raises(AddressRefused, match="denied"):
            await guard.check(Place("bad.example.com", 80))


async def test_by_name_a_number_and_a_local_name_are_still_judged() -> None:
    names = Names()
    guard = Guard(resolver=names)
    assert (await guard.check(Place("name.example", 80), by_name=True)).addresses == ()
    for host in ("127.0.0.1", "localhost", "x.internal", "10.0.0.1"):
        with pytest.raises(AddressRefused):
            await guard.check(Place(host, 80), by_name=True)
    assert names.asked == []


_ON_THE_INTERNET = """
import asyncio, fcntl, socket, struct
from bottega.workspaces.network.guard import AddressRefused, Guard
from bottega.workspaces.network.url import Place

def tell(request, *number):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as speaks:
        fcntl.ioctl(speaks, request, struct.pack("16s", b"lo") + b"".join(number).ljust(24, bytes(1)))

tell(0x8916, struct.pack("<HH", socket.AF_INET, 0), socket.inet_aton("8.8.4.4"))
tell(0x8914, struct.pack("<H", 0x1 | 0x40))
for private in ((), ("8.8.4.4:80",)):
    try:
        print((asyncio.run(Guard(private=private).check(Place("8.8.4.4", 80)))).opened)
    except AddressRefused as refused:
        print(refused)
"""


def test_an_address_of_this_machine_is_refused_even_where_it_is_public() -> None:
    """A machine on the internet has public addresses, at which its own inner services may listen."""
    apart = subprocess.run(
        ["unshare", "-Urn", sys.executable, "-c", _ON_THE_INTERNET],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.defpath},
    )
    if "unshare failed" in apart.stderr:
        pytest.skip("this system gives no network of one's own")
    assert apart.stdout.splitlines() == [
        "8.8.4.4:80 may not be reached: 8.8.4.4 is an address of this machine.",
        "True",
    ], apart.stderr
