"""The providers that are known by name: address, protocol, and the usual environment variables.

`tidy` makes any way to write an address the one that the protocols expect: OpenAI-like ones end in
their version (`…/v1`), Anthropic's and Gemini's stop before it.
"""

from urllib.parse import urlsplit

import msgspec

from bottega.providers.http.address import host_of, is_address_number, is_loopback
from bottega.providers.wires import WireName

DEMO = "demo"
"""The model that plays what an agent does, from a script."""
SCRIPTED = "scripted"
"""The model that plays a file: for tests and rehearsals."""
BUILT_IN = ("guide", DEMO, SCRIPTED)
"""Answered inside this program, without any network."""

OLLAMA_PORT = 11434


class Vendor(msgspec.Struct, frozen=True):
    base_url: str
    wire: WireName = "openai-chat"
    keys: tuple[str, ...] = ()
    """The variables that hold its key; the first that is set counts."""
    addresses: tuple[str, ...] = ()
    """The variables that hold its address."""
    needs_key: bool = True
    attempts: int = 10
    default_model: str = ""
    """What a new session runs on where nothing else was chosen."""
    begins: tuple[str, ...] = ()
    """What its keys begin with."""


VENDORS: dict[str, Vendor] = {
    "openai": Vendor(
        "https://api.openai.com/v1",
        keys=("OPENAI_API_KEY",),
        addresses=("OPENAI_BASE_URL",),
        default_model="gpt-5.5",
        begins=("sk-", "sk-proj-", "sk-svcacct-", "sk-admin-"),
    ),
    "anthropic": Vendor(
        "https://api.anthropic.com",
        "anthropic",
        keys=("ANTHROPIC_API_KEY",),
        addresses=("ANTHROPIC_BASE_URL",),
        default_model="claude-sonnet-5-5",
        begins=("sk-ant-",),
    ),
    "gemini": Vendor(
        "https://generativelanguage.googleapis.com",
        "gemini",
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        addresses=("GEMINI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"),
        attempts=5,
        default_model="gemini-3.8-flash",
        begins=("AIza", "AQ."),
    ),
    "openrouter": Vendor(
        "https://openrouter.ai/api/v1",
        keys=("OPENROUTER_API_KEY",),
        addresses=("OPENROUTER_BASE_URL",),
        default_model="anthropic/claude-sonnet-5.5",
        begins=("sk-or-",),
    ),
    "cerebras": Vendor(
        "https://api.cerebras.ai/v1",
        keys=("CEREBRAS_API_KEY",),
        addresses=("CEREBRAS_BASE_URL",),
        default_model="gpt-oss-120b",
        begins=("csk-",),
    ),
    "together": Vendor(
        "https://api.together.xyz/v1",
        keys=("TOGETHER_API_KEY",),
        addresses=("TOGETHER_BASE_URL",),
        begins=("tgp_v1_",),
    ),
    "litellm": Vendor(
        "http://127.0.0.1:4000/v1",
        keys=("LITELLM_API_KEY", "LITELLM_MASTER_KEY"),
        addresses=("LITELLM_API_BASE",),
        begins=("sk-",),
    ),
    "ollama": Vendor(
        f"http://127.0.0.1:{OLLAMA_PORT}/v1",
        keys=("OLLAMA_API_KEY",),
        addresses=("OLLAMA_HOST",),
        needs_key=False,
    ),
    "lmstudio": Vendor(
        "http://127.0.0.1:1234/v1",
        addresses=("LMSTUDIO_BASE_URL",),
        needs_key=False,
    ),
}

ON_THIS_MACHINE = ("ollama", "lmstudio")
"""They need no key and no setting: whether they run is found by asking."""

FORCED: dict[str, WireName] = {
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
}
"""Prefixes that mean `openai`, but in this protocol."""

_ENDS: dict[str, tuple[str, ...]] = {
    "openai-chat": ("/chat/completions", "/responses", "/models"),
    "openai-responses": ("/chat/completions", "/responses", "/models"),
    "anthropic": ("/messages", "/models", "/v1"),
    "gemini": ("/models", "/v1beta", "/v1"),
}


def is_openai(host: str) -> bool:
    """Whether this is OpenAI itself, in whatever region: only there is its newer protocol sure."""
    return host == "api.openai.com" or host.endswith(".api.openai.com")


def with_scheme(url: str) -> str:
    """The address with `https://`, or `http://` for this machine and bare numbers, if it has none."""
    url = url.strip()
    if not url or "://" in url:
        return url
    host = host_of(f"//{url}")
    local = is_loopback(host) or is_address_number(host)
    return f"{'http' if local else 'https'}://{url}"


def tidy(url: str, wire: WireName) -> str:
    """The address in the form that this protocol's requests start with, without any login."""
    parts = urlsplit(with_scheme(url))
    path = parts.path.rstrip("/")
    for end in _ENDS[wire]:
        path = path.removesuffix(end)
    if wire in ("openai-chat", "openai-responses") and not any(map(_is_version, path.split("/"))):
        path += "/v1"
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{path}"


def ollama_address(written: str) -> str:
    """OLLAMA_HOST as an address: it may be a host, a port, both, or a whole address."""
    scheme, mark, rest = written.strip().rpartition("://")
    netloc, slash, path = rest.partition("/")
    host, colon, port = netloc.rpartition(":")
    if not colon or "]" in port:
        host, port = netloc, ""
    # What a server listens at is not where a client finds it.
    host = "127.0.0.1" if host in ("", "0.0.0.0", "[::]") else host  # noqa: S104
    if host == "ollama.com" and scheme != "http":
        scheme, mark = "https", "://"
    if not port and not mark:
        port = str(OLLAMA_PORT)
    return f"{scheme or 'http'}://{host}{':' if port else ''}{port}{slash}{path}"


def _is_version(segment: str) -> bool:
    return segment[:1] == "v" and segment[1:2].isdigit()


def whose(key: str) -> list[str]:
    """The providers whose keys look like this one, the likeliest first: the longer the begin that fits, the surer."""
    fits = {
        name: max((len(begin) for begin in vendor.begins if key.startswith(begin)), default=0)
        for name, vendor in VENDORS.items()
    }
    longest = max(fits.values())
    return [name for name, length in fits.items() if length and length == longest]
