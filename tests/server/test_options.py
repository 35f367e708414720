"""How the server is started: what is refused, what is told, and where it says it is."""

import subprocess
import sys
from pathlib import Path

import pytest

from bottega.errors import BadUsage, Misconfigured
from bottega.server.house import Options
from bottega.server.options import address_of, checked, warnings


@pytest.mark.parametrize(
    ("options", "address"),
    [
        (Options(), "http://127.0.0.1:8448"),
        (Options(host="::1", port=1), "http://[::1]:1"),
        (Options(host="0.0.0.0"), "http://localhost:8448"),
        (Options(host="::", base_path="/x"), "http://localhost:8448/x"),
        (Options(tls_cert="c", tls_key="k"), "https://127.0.0.1:8448"),
    ],
)
def test_the_address_is_one_that_a_browser_here_can_open(options: Options, address: str) -> None:
    assert address_of(options) == address


@pytest.mark.parametrize("given", ["", "/", "/x", "/x/", "/x/y.z-1_2/"])
def test_a_base_path_is_tidied_up(given: str) -> None:
    path = checked(Options(base_path=given)).base_path
    assert path == given.rstrip("/")


@pytest.mark.parametrize(
    "given", ["x", "//x", "/x//y", "/ü", "/x y", "/..", "/x/../y", "/x?y", "/<b>"]
)
def test_what_is_no_base_path_is_refused(given: str) -> None:
    with pytest.raises(BadUsage, match="no base path"):
        checked(Options(base_path=given))


def test_tls_takes_two_files_that_belong_together(tmp_path: Path) -> None:
    with pytest.raises(BadUsage, match="both"):
        checked(Options(tls_cert="cert.pem"))
    for name in ("cert.pem", "key.pem"):
        (tmp_path / name).write_text("nothing of that kind")
    wrong = Options(tls_cert=str(tmp_path / "cert.pem"), tls_key=str(tmp_path / "key.pem"))
    with pytest.raises(Misconfigured, match="cannot be used"):
        checked(wrong)


def test_whoever_lets_others_in_without_tls_is_told() -> None:
    (warning,) = warnings(Options(host="0.0.0.0"))
    assert "--tls-cert" in warning
    assert warnings(Options(host="192.168.1.7"))
    assert not warnings(Options())
    assert not warnings(Options(host="::1"))
    assert not warnings(Options(host="0.0.0.0", tls_cert="c", tls_key="k"))
    assert not warnings(Options(host="0.0.0.0", proxies=("10.0.0.2",)))


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--allow-host", "*"), "no name of a host"),
        (("--trust-proxy", "*"), "no address of a proxy"),
        (("--host", "no.such.host.invalid"), "cannot listen"),
        (("--host", "0.0.0.0", "--port", "70000"), "70000"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(home: Path, flags: tuple[str, ...], said: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "bottega", "--home", str(home), "serve", "--no-open", *flags],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode in (1, 2)
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""
