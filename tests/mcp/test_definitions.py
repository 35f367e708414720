"""What a server says of its tools: names that every provider takes, and nothing that cannot be seen."""

import re
import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.mcp.definitions import LONGEST_NAME, MOST_TOOLS, Offered, define, public_name
from bottega.mcp.server import is_name
from tests.hunt import examples

OBJECT: dict[str, Any] = {"type": "object"}
TAKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
WORDS = st.text(string.ascii_letters + string.digits, min_size=1, max_size=6)
SERVERS = st.builds(str.join, st.sampled_from("_-"), st.lists(WORDS, min_size=1, max_size=4))
TOOLS = st.one_of(
    st.text(min_size=1, max_size=200),
    st.text(string.ascii_letters + string.digits + "_-.", min_size=1, max_size=80),
)


def one(name: str = "tool", description: str = "", schema: Any = OBJECT) -> Any:
    (made,), notices = define("a", "bound", [Offered(name, description, schema)])
    assert notices == []
    return made


def left_out(name: str = "tool", schema: Any = OBJECT) -> str:
    made, (notice,) = define("a", "bound", [Offered(name, "", schema)])
    assert made == []
    return notice


def test_a_plain_name_is_kept_and_says_whose_it_is() -> None:
    assert public_name("git", "git_log") == "mcp__git__git_log"
    assert public_name("my-hub_2", "get-sum") == "mcp__my-hub_2__get-sum"


def test_a_long_or_odd_name_is_shortened_the_same_way_every_time() -> None:
    long = public_name("a" * 32, "b" * 60)
    assert len(long) == LONGEST_NAME
    assert long == public_name("a" * 32, "b" * 60)
    assert long != public_name("a" * 32, "b" * 59 + "c")
    assert public_name("a", "über.größe") == "mcp__a___ber_gr_e_4fa55ae8"


@pytest.mark.fuzz
@settings(max_examples=examples(200, 20_000), deadline=None)
@given(st.lists(st.tuples(SERVERS, TOOLS), min_size=2, max_size=6, unique=True))
def test_every_name_is_one_that_providers_take_and_no_two_are_the_same(
    pairs: list[tuple[str, str]],
) -> None:
    assert all(is_name(server) for server, _ in pairs)
    names = [public_name(server, tool) for server, tool in pairs]

    assert all(TAKEN.fullmatch(name) for name in names)
    assert len(set(names)) == len(names)


def test_two_tools_of_one_public_name_are_told_apart_by_leaving_the_second_out() -> None:
    odd = public_name("a", "x.y").removeprefix("mcp__a__")

    made, notices = define("a", "b", [Offered("x.y", "", OBJECT), Offered(odd, "", OBJECT)])

    assert [each.tool for each in made] == ["x.y"]
    assert "there are two of that name" in notices[0]


def test_descriptions_hold_only_what_can_be_seen_and_no_more_than_can_be_read() -> None:
    hidden = "Adds\u202e two\u200b num\x1b[31mbers\U000e0041.\u2066\x00"
    schema = {"type": "object", "properties": {"description": {"description": f"{hidden}"}}}

    made = one(description=hidden + "x" * 5_000, schema=schema)

    assert made.description.startswith("Adds two num[31mbers.xxx")
    assert len(made.description) == 2_001
    assert made.schema["properties"]["description"]["description"] == "Adds two num[31mbers."


def test_a_tool_without_a_description_says_at_least_whose_it_is() -> None:
    assert one("sum").description == "The tool sum of the MCP server a."


def test_schemas_that_are_none_are_left_out_with_the_reason() -> None:
    assert left_out(schema={"type": "array"}).endswith("its schema describes no object.")
    assert left_out(schema=None).endswith("its schema describes no object.")
    assert "its schema is none" in left_out(schema={"type": "object", "properties": 3})
    large = {"type": "object", "description": "x" * 70_000}
    assert left_out(schema=large).endswith("its schema is too large.")
    deep: dict[str, Any] = {}
    for _ in range(100):
        deep = {"properties": {"a": deep}}
    assert left_out(schema={"type": "object", **deep}).endswith("nested too deeply.")


def test_a_reference_to_elsewhere_is_never_fetched() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/x.json"}}}

    assert "leads out of it" in left_out(schema=schema)


def test_names_without_measure_are_refused() -> None:
    notice = left_out("x" * 29_990)

    assert notice.endswith("its name has not between 1 and 256 characters.")
    assert len(notice) < 200


def test_more_tools_than_make_sense_are_cut() -> None:
    many = [Offered(f"t{n}", "", OBJECT) for n in range(1_000)]

    made, notices = define("a", "b", many)

    assert len(made) == MOST_TOOLS
    assert notices == ["The MCP server 'a' offers more than 256 tools: the rest is left out."]


def test_a_fingerprint_changes_with_anything_that_a_user_might_have_agreed_to() -> None:
    def mark(bound: str, offered: Offered) -> str:
        return define("a", bound, [offered])[0][0].fingerprint

    first = mark("1", Offered("t", "Adds.", OBJECT))

    assert first == mark("1", Offered("t", "Adds.", {"type": "object"}))
    others = {
        mark("2", Offered("t", "Adds.", OBJECT)),
        mark("1", Offered("u", "Adds.", OBJECT)),
        mark("1", Offered("t", "Adds.\u200b", OBJECT)),
        mark("1", Offered("t", "Adds.", {"type": "object", "properties": {}})),
    }
    assert len(others | {first}) == 5
