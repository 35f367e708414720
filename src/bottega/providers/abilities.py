"""What a model lacks is refused before anything is sent; the refusal names model and thing."""

from base64 import b64decode
from binascii import Error as NoBase64
from types import UnionType

from bottega.errors import Unsupported
from bottega.messages.block import Audio, Block, Document, Image, Media, ToolResult, ToolUse
from bottega.providers.provider import Request

_TEXTUAL = ("json", "xml", "yaml", "toml", "javascript", "x-python", "x-sh", "sql", "csv", "rtf")


def check(request: Request) -> None:
    """Raise `Unsupported` where a message, or the tools on offer, need what the model has not."""
    able = request.abilities
    lacks: list[tuple[type[Block] | UnionType, str]] = []
    for has, kind, word in (
        (able.images, Image, "images"),
        (able.audio, Audio, "audio"),
        (able.documents, Document, "documents"),
        (able.tools, ToolUse | ToolResult, "tools"),
    ):
        if not has:
            lacks.append((kind, word))
    if not lacks:
        return
    if request.tools and not able.tools:
        raise refusal(request.model, "tools")
    for message in request.messages:
        for block in message.content:
            inner = block.content if isinstance(block, ToolResult) else ()
            for part in (block, *inner):
                _check_block(part, lacks, request.model)


def _check_block(
    block: Block, lacks: list[tuple[type[Block] | UnionType, str]], model: str
) -> None:
    if isinstance(block, ToolUse | ToolResult) and block.server:
        return
    for kind, word in lacks:
        if isinstance(block, kind):
            raise refusal(model, word)


def refusal(model: str, kind: str) -> Unsupported:
    """The refusal itself: `kind` is what the model cannot take."""
    return Unsupported(
        f"The model {model!r} cannot take {kind}.",
        hint=f"Choose a model that takes {kind}, or leave this out.",
    )


def payload(media: Media, model: str) -> str:
    """The base64 of a picture, sound or document; it must be inline by now."""
    if not media.data:
        name = media.name or media.blob or media.media_type
        raise Unsupported(
            f"The bytes of {name!r} are not at hand, so {model!r} cannot see them.",
            hint="Attach the file again.",
        )
    return media.data


def is_textual(media_type: str) -> bool:
    """Whether a document of this type is plain text to a model."""
    kind = media_type.partition(";")[0].strip().lower()
    return kind.startswith("text/") or kind.endswith(_TEXTUAL)


def document_text(document: Document, model: str) -> str:
    """The text of a textual document."""
    try:
        # Base64 may be broken into lines, but holds nothing else.
        whole = "".join(payload(document, model).split())
        return b64decode(whole, validate=True).decode("utf-8", "replace")
    except NoBase64:
        raise refusal(model, f"the document {document.name!r}, whose bytes are no base64") from None
