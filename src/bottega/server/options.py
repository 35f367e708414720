"""How the server was started, looked at before anything is opened: nonsense is refused, what is risky is told."""

import ssl

import msgspec

from bottega.errors import BadUsage, Misconfigured
from bottega.server.guard.names import Names, is_everywhere, is_loopback
from bottega.server.guard.proxy import Proxies
from bottega.server.house import Options


def checked(options: Options) -> Options:
    """The same, tidied up."""
    Names(options)
    Proxies(options.proxies)
    _check_tls(options)
    return msgspec.structs.replace(options, base_path=_path(options.base_path))


def warnings(options: Options) -> list[str]:
    """What whoever started it should know, a sentence each."""
    if options.is_secure or options.proxies or is_loopback(options.host):
        return []
    return [
        f"Others on your network can reach {options.host}, and what you send can be read on its way."
        " Give --tls-cert and --tls-key, or listen at 127.0.0.1 behind a proxy that has TLS."
    ]


def address_of(options: Options) -> str:
    """Where a browser on this machine finds the server."""
    host = "localhost" if is_everywhere(options.host) else options.host
    scheme = "https" if options.is_secure else "http"
    shown = f"[{host}]" if ":" in host else host
    return f"{scheme}://{shown}:{options.port}{options.base_path}"


def _path(given: str) -> str:
    path = given.rstrip("/")
    parts = path.split("/")[1:]
    if path and not (path.startswith("/") and all(_is_plain(part) for part in parts)):
        raise BadUsage(
            f"{given[:100]!r} is no base path.",
            hint="Give letters, digits, dots and dashes, such as /bottega.",
        )
    return path


def _is_plain(part: str) -> bool:
    letters = part.replace("-", "").replace("_", "").replace(".", "")
    return letters.isalnum() and letters.isascii()


def _check_tls(options: Options) -> None:
    if bool(options.tls_cert) != bool(options.tls_key):
        raise BadUsage("TLS takes two files.", hint="Give both --tls-cert and --tls-key.")
    if options.tls_cert:
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(options.tls_cert, options.tls_key, password=_no_password)
        except OSError as error:  # an `SSLError` is one too
            raise Misconfigured(
                f"The TLS files cannot be used: {error.strerror or error}.",
                hint="Check that both are PEM files, belong together, can be read and have no password.",
            ) from error


def _no_password() -> str:
    return ""
