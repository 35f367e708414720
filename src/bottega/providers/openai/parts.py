"""What both protocols say alike: where a request goes, and what its model must be able to take."""

from typing import Any
from urllib.parse import urlsplit

import msgspec

from bottega.errors import Unsupported
from bottega.messages.block import Audio, Document, Image, Media, Text, ToolUse
from bottega.providers.protocol.schemas import NAME, is_strict, unheld
from bottega.providers.protocol.surrogates import mended
from bottega.providers.provider import Request, Target, WireRequest

_FORMATS = {"mpeg": "mp3", "x-wav": "wav", "wave": "wav", "vnd.wave": "wav", "x-flac": "flac"}


def is_openai(target: Target) -> bool:
    """Whether requests go to OpenAI itself, or to Azure's house of it."""
    host = urlsplit(target.base_url).hostname or ""
    return _is_itself(host) or host.endswith(".openai.azure.com")


def _is_itself(host: str) -> bool:
    return host == "api.openai.com" or host.endswith(".api.openai.com")


def add_cache_key(body: dict[str, Any], request: Request, target: Target) -> None:
    """Requests with one key go to one machine, where their beginning is cached. Only OpenAI itself knows the field."""
    if request.cache_key and _is_itself(urlsplit(target.base_url).hostname or ""):
        body["prompt_cache_key"] = request.cache_key[:64]


def post(target: Target, path: str, body: dict[str, Any], notices: list[str]) -> WireRequest:
    """The HTTP request with this body."""
    base, mark, query = target.base_url.partition("?")
    headers = {
        "content-type": "application/json",
        "accept": "text/event-stream" if body["stream"] else "application/json",
    }
    if target.key:
        headers["authorization"] = f"Bearer {target.key}"
    headers.update((name.lower(), value) for name, value in target.headers.items())
    try:
        encoded = msgspec.json.encode(body)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(mended(body))
    url = base.rstrip("/") + path + mark + query
    return WireRequest(url, headers, encoded, tuple(notices))


def check_abilities(request: Request) -> None:
    """Refuse what the model cannot take."""
    if request.tools and not request.abilities.tools:
        raise Unsupported(
            f"The model {request.model!r} cannot call tools.",
            hint="Choose a model that can, or an agent without tools.",
        )


def check_media(block: Media, request: Request) -> None:
    """Refuse a picture, a sound or a document that the model cannot take."""
    able = request.abilities
    for kind, allowed, word in (
        (Image, able.images, "images"),
        (Audio, able.audio, "audio"),
        (Document, able.documents, "documents"),
    ):
        if isinstance(block, kind) and not allowed:
            named = f" ({block.name!r})" if block.name else ""
            raise Unsupported(
                f"The model {request.model!r} does not take {word}{named}.",
                hint="Choose a model that does, or send the message without it.",
            )


def add_temperature(body: dict[str, Any], request: Request, notices: list[str]) -> None:
    if request.temperature is None:
        return
    if request.abilities.temperature:
        body["temperature"] = request.temperature
    else:
        notices.append(f"The model {request.model!r} takes no temperature; it was left out.")


def may_reason(request: Request, notices: list[str]) -> bool:
    """Whether the effort that was asked for can be said to this model."""
    if request.effort is None:
        return False
    if request.abilities.reasoning or request.effort == "none":
        return request.abilities.reasoning
    notices.append(f"The model {request.model!r} takes no reasoning effort; it was left out.")
    return False


def held_to(request: Request, notices: list[str]) -> dict[str, Any] | None:
    """The schema that the answer must fit, with its name; None where there is none, or the model would refuse it."""
    if request.schema is None:
        return None
    if not request.abilities.json:
        notices.append(unheld(request.model))
        return None
    return {"name": NAME, "schema": request.schema, "strict": is_strict(request.schema)}


def data_url(block: Media) -> str:
    return f"data:{block.media_type};base64,{block.data}"


def audio_part(block: Audio) -> dict[str, Any]:
    kind = block.media_type.partition(";")[0].partition("/")[2]
    sound = {"data": block.data, "format": _FORMATS.get(kind, kind)}
    return {"type": "input_audio", "input_audio": sound}


def file_name(block: Document) -> str:
    kind = block.media_type.partition(";")[0].partition("/")[2]
    return block.name or f"document.{'txt' if kind == 'plain' else kind or 'bin'}"


def arguments_text(use: ToolUse) -> str:
    """A call's arguments as they go back: always a JSON object, as strict servers parse it."""
    found = {"malformed": use.malformed} if use.malformed else use.input
    try:
        return msgspec.json.encode(found).decode()
    except UnicodeEncodeError:
        return msgspec.json.encode(mended(found)).decode()


def joined(texts: list[Text]) -> str:
    return "\n\n".join(text.text for text in texts if text.text)
