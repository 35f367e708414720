"""What a model lacks is refused before anything is sent; the refusal names model and thing."""

from base64 import b64decode
from binascii import Error as NoBase64

from bottega.errors import Unsupported
from bottega.messages.block import Audio, Block, Document, Image, Media, ToolResult, ToolUse
from bottega.providers.provider import Request

_TEXTUAL = ("json", "xml", "yaml", "toml", "javascript", "x-python", "x-sh", "sql", "csv", "rtf")


def check(request: Request) -> None:
    """Raise `Unsupported` where a message, or the tools on offer, need what the model has not."""
    if request.tools and not request.abilities.tools:
        raise refusal(request.model, "tools")
    for message in request.messages:
        for block in message.content:
            _check_block(request, block)


def _check_block(request: Request, block: Block) -> None:
    able = request.abilities
    if isinstance(block, Image) and not able.images:
        raise refusal(request.model, "images")
    if isinstance(block, Audio) and not able.audio:
        raise refusal(request.model, "audio")
    if isinstance(block, Document) and not able.documents:
        raise refusal(request.model, "documents")
    if isinstance(block, ToolUse | ToolResult) and not block.server and not able.tools:
        raise refusal(request.model, "tools")
    if isinstance(block, ToolResult):
        for part in block.content:
            _check_block(request, part)


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
