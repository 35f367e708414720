"""Answers as outcomes: text, structure, pictures, sound, documents, links, errors."""

import base64
import json
from typing import Any

import mcp_types as wire

from bottega.mcp.results import LARGEST_MEDIA, MOST_MEDIA, contents, outcome, spoken
from bottega.messages.block import Audio, Document, Image
from bottega.tools.tool import Outcome

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()


def as_it_is(text: str) -> str:
    return text


def made(*blocks: dict[str, Any], **more: Any) -> Outcome:
    result = wire.CallToolResult.model_validate({"content": list(blocks), **more})
    return outcome(result, as_it_is)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def test_one_text_is_itself_and_several_are_a_list() -> None:
    assert made(text("one")).result == "one"
    assert made(text("one"), text("two")).result == ["one", "two"]
    assert made().result == []


def test_what_is_structured_is_said_once() -> None:
    found = {"sum": 3}
    mirrored = made(text(json.dumps(found)), structuredContent=found)
    more = made(text("Three."), structuredContent=found)

    assert mirrored.result == found
    assert more.result == {"structured": found, "content": ["Three."]}


def test_pictures_sound_and_documents_stand_beside_the_text() -> None:
    found = made(
        {"type": "image", "data": PNG, "mimeType": "image/png"},
        {"type": "audio", "data": PNG, "mimeType": "audio/wav"},
        {
            "type": "resource",
            "resource": {"uri": "x://p", "blob": PNG, "mimeType": "application/pdf"},
        },
        text("Look."),
    )

    assert found.result == "Look."
    assert found.media == (
        Image("image/png", PNG),
        Audio("audio/wav", PNG),
        Document("application/pdf", PNG, name="x://p"),
    )


def test_what_cannot_be_looked_at_is_said() -> None:
    large = base64.b64encode(b"x" * (LARGEST_MEDIA + 1)).decode()
    found = made(
        {"type": "image", "data": PNG, "mimeType": "image/svg+xml"},
        {"type": "image", "data": "no base64!", "mimeType": "image/png"},
        {"type": "image", "data": large, "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "x://z", "blob": PNG}},
    )

    assert found.media == ()
    assert found.result == [
        "[image/svg+xml: 8 bytes, which cannot be shown]",
        "[image/png: it is not encoded as it should be, and left out]",
        "[image/png: 5,242,881 bytes, too large to look at]",
        "[application/octet-stream x://z: 8 bytes, which cannot be shown]",
    ]


def test_more_pictures_than_make_sense_are_cut() -> None:
    found = made(*[{"type": "image", "data": PNG, "mimeType": "image/png"}] * (MOST_MEDIA + 2))

    assert len(found.media) == MOST_MEDIA
    assert len(found.result) == 2


def test_a_resource_is_read_and_a_link_is_only_named() -> None:
    found = made(
        {"type": "resource", "resource": {"uri": "x://t", "text": "words"}},
        {"type": "resource_link", "uri": "http://127.0.0.1:9/", "name": "n", "size": 3},
    )

    assert found.result == [
        {"uri": "x://t", "type": "text/plain", "text": "words"},
        {"uri": "http://127.0.0.1:9/", "name": "n", "size": 3},
    ]


def test_bytes_that_are_text_are_text() -> None:
    words = base64.b64encode("größer".encode()).decode()
    result = wire.ReadResourceResult.model_validate(
        {"contents": [{"uri": "x://t", "blob": words, "mimeType": "text/plain; charset=utf-8"}]}
    )

    assert contents(result, as_it_is).result == "größer"


def test_an_answer_that_says_it_failed_is_an_error() -> None:
    found = made(text("No such city."), isError=True)
    silent = made(isError=True)

    assert (found.status, found.error and found.error.message) == ("error", "No such city.")
    assert silent.error
    assert silent.error.message == "It gave no reason."


def test_secrets_are_blotted_out_everywhere() -> None:
    result = wire.CallToolResult.model_validate(
        {
            "content": [
                text("key secret"),
                {"type": "resource", "resource": {"uri": "x://t", "text": "secret"}},
                {"type": "resource_link", "uri": "x://", "name": "secret"},
            ],
            "structuredContent": {"secret": ["secret", {"a": "secret"}]},
        }
    )

    found = outcome(result, lambda words: words.replace("secret", "***"))

    assert "secret" not in found.to_text()


def test_a_prompt_is_one_text_and_says_who_speaks_where_several_do() -> None:
    def said(*messages: tuple[str, dict[str, Any]]) -> str:
        parsed = [
            wire.PromptMessage.model_validate({"role": role, "content": content})
            for role, content in messages
        ]
        return spoken(parsed, as_it_is)

    resource = {"type": "resource", "resource": {"uri": "x://t", "text": "the file"}}
    assert said(("user", text("Hi.")), ("user", resource)) == "Hi.\n\nthe file"
    assert (
        said(("user", text("Hi.")), ("assistant", text("Yes?"))) == "User: Hi.\n\nAssistant: Yes?"
    )
    picture = {"type": "image", "data": PNG, "mimeType": "image/png"}
    assert "which a prompt cannot show" in said(("user", picture))
