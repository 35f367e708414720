"""Names in settings become values for one server, and nobody else hears them."""

import pytest

from bottega.errors import Misconfigured
from bottega.mcp.secrets import names, resolve
from bottega.mcp.server import McpServer

KEPT = {"HUB": "canary-0123456789", "USER": "me"}


def test_names_are_put_in_wherever_they_stand() -> None:
    given = {"A": "$HUB", "B": "Bearer ${HUB}", "C": "plain", "D": "5 $$ for $USER"}

    values = resolve("a", given, KEPT.get).values

    assert values == {
        "A": KEPT["HUB"],
        "B": f"Bearer {KEPT['HUB']}",
        "C": "plain",
        "D": "5 $ for me",
    }
    assert names(given) == {"HUB", "USER"}


def test_a_missing_name_is_told_with_the_way_to_keep_it() -> None:
    with pytest.raises(
        Misconfigured, match=r"needs \$NONE, and no secret of that name is kept.*keys set NONE"
    ):
        resolve("a", {"A": "$NONE"}, KEPT.get)


def test_a_dollar_that_names_nothing_is_told_without_the_value() -> None:
    with pytest.raises(Misconfigured, match="The value of 'A' of the MCP server 'a'") as caught:
        resolve("a", {"A": "pa$ssword$ canary"}, lambda name: "x")

    assert "canary" not in str(caught.value)


def test_what_was_put_in_is_taken_out_of_what_is_said() -> None:
    secrets = resolve("a", {"A": "Bearer $HUB"}, KEPT.get)

    assert secrets.without(f"I know {KEPT['HUB']}!") == "I know [secret]!"
    assert secrets.without(KEPT["HUB"].swapcase().upper()) == "[secret]"
    assert KEPT["HUB"] not in repr(secrets)


def test_a_value_written_down_is_a_secret_if_its_name_says_so() -> None:
    secrets = resolve("a", {"API_KEY": "0123456789", "MODE": "fast-mode"}, KEPT.get)

    assert secrets.without("0123456789 fast-mode") == "[secret] fast-mode"


def test_too_short_a_value_is_not_looked_for() -> None:
    assert resolve("a", {"A": "$USER"}, KEPT.get).without("me and you") == "me and you"


def test_the_longest_secret_is_blotted_out_first() -> None:
    known = {"A": "123456", "B": "1234567890"}
    secrets = resolve("a", {"X": "$A", "Y": "$B"}, known.get)

    assert secrets.without("1234567890") == "[secret]"


def test_a_server_shows_no_value_of_its_own() -> None:
    program = McpServer(command="x", env={"A": "canary", "B": "$B"})
    address = McpServer(
        url="https://me:canary@hub.example/mcp?key=canary",
        headers={"A": "canary", "B": "Bearer $B"},
    )

    assert "canary" not in repr(program) + repr(address)
    assert program.masked().env == {"A": "…", "B": "$B"}
    assert address.masked().url == "https://hub.example/mcp"
    assert address.masked().headers == {"A": "…", "B": "Bearer $B"}
