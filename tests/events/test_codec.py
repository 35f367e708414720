"""Events survive their bytes, whatever version wrote them."""

import subprocess
import sys
import types
import typing
from typing import Any, Literal, Union

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.events import codec, facts
from bottega.events.event import Actor, Event
from bottega.events.facts import DELTAS, FACTS, GUESTS, NAMES, TextDelta
from bottega.events.fold import EMPTY, step
from bottega.events.layers import DERIVED, LAYERS
from tests.hunt import examples

_json = st.dictionaries(
    st.text(max_size=5),
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=5)),
)
_plain: dict[Any, st.SearchStrategy[Any]] = {
    str: st.text(max_size=20),
    int: st.integers(0, 2**53 - 1),
    bool: st.booleans(),
    type(None): st.none(),
    Any: st.one_of(st.none(), st.text(max_size=5)),
}


def any_of(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type as a fact's fields use it."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if kind in _plain:
        return _plain[kind]
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(any_of, inner))
    if origin is tuple:
        return st.lists(any_of(inner[0]), max_size=3).map(tuple)
    if origin is dict:
        return _json if inner[1] is Any else st.dictionaries(st.text(max_size=5), any_of(inner[1]))
    return struct_of(kind)


def struct_of(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    fields = {field.encode_name: any_of(field.type) for field in msgspec.structs.fields(kind)}
    return st.builds(kind, **fields)


_actors: st.SearchStrategy[Actor] = st.sampled_from(typing.get_args(Actor))
_counts = st.integers(0, 99)
_times = st.integers(0, 2**53 - 1)


@pytest.mark.fuzz
@pytest.mark.requirement("C13")
@pytest.mark.parametrize("name", FACTS)
@given(drawn=st.data())
@settings(max_examples=examples(25, 2_000), deadline=None, database=None)
def test_every_fact_survives_its_bytes(name: str, drawn: st.DataObject) -> None:
    payload = drawn.draw(struct_of(FACTS[name]))
    envelope = (drawn.draw(st.text(max_size=9)), drawn.draw(_counts), drawn.draw(_counts))
    event = Event(name, drawn.draw(_times), payload, *envelope, drawn.draw(_actors))
    stored = codec.encode(event)
    read = codec.decode(417, stored)
    assert read == msgspec.structs.replace(event, index=417)
    assert type(read.data) is FACTS[name]
    assert codec.encode(read) == stored


def test_an_unknown_type_is_carried_along_byte_for_byte() -> None:
    payload = b'{"of" :  "sheep", "n": 1.50, "deep": [{}]}'
    body = b'{"type":"dream_dreamt","at":5,"v":1,"more":true,"data":' + payload + b"}"
    event = codec.decode(3, body)
    assert (event.type, event.at, event.index) == ("dream_dreamt", 5, 3)
    assert bytes(event.data) == payload
    assert payload in codec.line("ses_1", event)


def test_a_known_type_of_a_newer_version_is_left_raw_and_passes_the_fold() -> None:
    body = b'{"type":"text_delta","at":5,"v":%d,"data":{"parts":["a"]}}' % (codec.VERSION + 1)
    event = codec.decode(3, body)
    assert bytes(event.data) == b'{"parts":["a"]}'
    assert step(EMPTY, event) == (EMPTY, [event])


def test_fields_that_a_newer_program_added_do_no_harm() -> None:
    body = b'{"type":"text_delta","at":5,"data":{"text":"a","colour":"red"},"mood":"good"}'
    assert codec.decode(1, body) == Event("text_delta", 5, TextDelta("a"), index=1)


def test_an_older_version_is_brought_up_to_date() -> None:
    codec.UPCASTS["text_delta", codec.VERSION - 1] = lambda old: {"text": "".join(old["parts"])}
    try:
        body = b'{"type":"text_delta","at":5,"v":%d,"data":{"parts":["a","b"]}}'
        event = codec.decode(1, body % (codec.VERSION - 1))
    finally:
        del codec.UPCASTS["text_delta", codec.VERSION - 1]
    assert event.data == TextDelta("ab")


def test_an_older_version_that_needs_no_change_is_read_as_it_is() -> None:
    body = b'{"type":"text_delta","at":5,"v":%d,"data":{"text":"a"}}' % (codec.VERSION - 1)
    assert codec.decode(1, body).data == TextDelta("a")


def test_what_is_written_leaves_out_what_says_nothing() -> None:
    assert codec.encode(Event("text_delta", 5, TextDelta("a"))) == (
        b'{"type":"text_delta","at":5,"data":{"text":"a"}}'
    )


def test_bytes_that_are_no_event_are_refused() -> None:
    for body in (b"", b"[]", b'{"type":"text_delta"}', b'{"type":"text_delta","at":1,"data":{}}'):
        with pytest.raises(msgspec.DecodeError):
            codec.decode(1, body)


@pytest.mark.requirement("C13")
def test_a_line_for_the_outside_shows_the_whole_envelope() -> None:
    event = Event("text_delta", 5, TextDelta("a"), "m1", 2, 1, "provider", 417)
    assert msgspec.json.decode(codec.line("ses_1", event)) == {
        "session_id": "ses_1",
        "index": 417,
        "sub": 0,
        "type": "text_delta",
        "at": 5,
        "message_id": "m1",
        "step": 2,
        "attempt": 1,
        "actor": "provider",
        "data": {"text": "a"},
    }


def test_every_type_has_a_layer_and_every_layer_type_exists() -> None:
    assert set(LAYERS) == set(FACTS) | set(DERIVED)
    assert set(LAYERS.values()) == {"stream", "state", "message", "exchange"}
    assert not set(FACTS) & set(DERIVED)


def test_every_fact_of_the_module_has_its_name() -> None:
    structs = {
        thing
        for thing in vars(facts).values()
        if isinstance(thing, type) and issubclass(thing, facts._Fact) and thing is not facts._Fact  # pyright: ignore[reportPrivateUsage]
    }
    assert structs == set(FACTS.values()) == set(NAMES)
    assert set(FACTS) >= DELTAS | GUESTS


RACE = """
import sys, threading, types
from bottega.events.codec import build_decoders
import msgspec
sys.setswitchinterval(1e-6)
fields = range(60)
code = "import msgspec\\nclass B(msgspec.Struct):\\n    x: int = 0\\nclass S(msgspec.Struct):\\n"
code += "".join(f"    f{n}: 'B | None' = None\\n" for n in fields)
body = msgspec.json.encode({f"f{n}": {"x": 1} for n in fields})
modules = [types.ModuleType(f"m{n}") for n in range(150)]
for each in modules:
    sys.modules[each.__name__] = each
    exec(code, each.__dict__)
build_decoders()
for each in modules:
    together = threading.Barrier(4)
    def decode():
        together.wait()
        msgspec.json.decode(body, type=each.S)
    threads = [threading.Thread(target=decode) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""


def test_threads_that_decode_a_type_for_the_first_time_end_no_process() -> None:
    subprocess.run([sys.executable, "-c", RACE], check=True, timeout=60)
