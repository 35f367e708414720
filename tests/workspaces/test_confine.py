"""Every path stays inside its root, and what cannot be opened is said in one plain sentence."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.errors import Refused
from bottega.workspaces.confine import (
    Entry,
    Linked,
    Missing,
    NoPermission,
    NotAFile,
    NotAFolder,
    PathOutsideWorkspace,
    Root,
)
from tests.descriptors import FOLDER, descriptors


@pytest.fixture
def place(tmp_path: Path) -> Path:
    inside = tmp_path / "ws"
    (inside / "src" / "deep").mkdir(parents=True)
    (inside / "README.md").write_text("inside")
    (inside / "src" / "main.py").write_text("print()")
    (tmp_path / "ws-evil").mkdir()
    (tmp_path / "ws-evil" / "secret").write_text("canary")
    (tmp_path / "secret").write_text("canary")
    return inside


@pytest.fixture(params=["openat2", "walking"])
def root(place: Path, request: pytest.FixtureRequest) -> Iterator[Root]:
    with Root(place, walking=request.param == "walking") as opened:
        yield opened


def content(root: Root, path: str) -> str:
    with os.fdopen(root.open_file(path)) as file:
        return file.read()


@pytest.mark.requirement("A35")
@pytest.mark.parametrize(
    "path", ["README.md", "./README.md", "src/../README.md", "src//../README.md", "README.md/"]
)
def test_a_path_inside_is_opened(root: Root, path: str) -> None:
    assert content(root, path) == "inside"


@pytest.mark.requirement("A35")
@pytest.mark.parametrize(
    "path",
    [
        "../secret",
        "..",
        "src/../../secret",
        "/etc/passwd",
        "/",
        "README.md\0/../../secret",
        "a" * 5000,
        "b" * 300,
        "\ud800",
    ],
)
def test_a_path_that_cannot_be_inside_is_refused(root: Root, path: str) -> None:
    with pytest.raises(PathOutsideWorkspace) as caught:
        root.open_file(path)
    assert isinstance(caught.value, Refused)
    assert len(str(caught.value)) < 300


def test_a_sibling_whose_name_begins_alike_is_outside(root: Root, place: Path) -> None:
    for path in (f"{place}-evil/secret", f"{place}/../ws-evil/secret", "../ws-evil/secret"):
        with pytest.raises(PathOutsideWorkspace):
            root.open_file(path)


def test_an_absolute_path_inside_is_made_relative(root: Root, place: Path) -> None:
    assert content(root, str(place / "src" / "main.py")) == "print()"
    assert root.relative(f"{place}//src/./main.py") == "src/main.py"
    assert root.relative(str(place)) == "."
    assert root.relative("") == "."


@pytest.mark.parametrize("walking", [False, True])
@pytest.mark.parametrize("way", ["other", "other/src", "up/other", "src/../other"])
def test_a_root_is_opened_past_no_link(place: Path, way: str, walking: bool) -> None:
    (place.parent / "other").symlink_to(place)
    (place.parent / "up").symlink_to(".")
    with pytest.raises(Linked, match="symbolic link"):
        Root(place.parent / way, walking=walking)


@pytest.mark.parametrize("walking", [False, True])
def test_a_folder_in_a_root_is_a_root_whose_top_that_is(place: Path, walking: bool) -> None:
    with Root(place, walking=walking) as top, top.beneath("src") as root:
        assert (root.path, root.inside) == (str(place / "src"), "src")
        assert root.top.identity == top.identity
        assert root.identity != top.identity
        os.close(root.open_file("main.py"))
        with pytest.raises(PathOutsideWorkspace):
            root.open_file("../README.md")
        with root.clone() as again:
            top.close()
            root.close()
            os.close(again.top.open_file("README.md"))


@pytest.mark.parametrize("walking", [False, True])
def test_no_link_is_followed_to_a_folder_in_a_root(place: Path, walking: bool) -> None:
    (place / "link").symlink_to("src")
    (place / "out").symlink_to("..")
    with Root(place, walking=walking) as top:
        for path in ("link", "out", "link/deep"):
            with pytest.raises(Linked, match="symbolic link"):
                top.beneath(path)
        for path in ("..", "src/../..", "src/../src"):
            with pytest.raises(PathOutsideWorkspace):
                top.beneath(path)


@pytest.mark.requirement("A35")
@pytest.mark.parametrize(
    ("link", "target", "path"),
    [
        ("out", "../secret", "out"),
        ("out", "/etc", "out/passwd"),
        ("src/up", "../..", "src/up/secret"),
        ("src/one", "two", "src/one"),
        ("loop", "src/deep/../../../ws/README.md", "loop"),
    ],
)
def test_a_link_that_leads_out_is_refused(
    root: Root, place: Path, link: str, target: str, path: str
) -> None:
    (place / "src" / "two").symlink_to("../../secret")
    (place / link).symlink_to(target)
    with pytest.raises(PathOutsideWorkspace, match="symbolic link"):
        root.open_file(path)
    with pytest.raises(PathOutsideWorkspace, match="symbolic link"):
        root.stat(path)


def test_an_absolute_link_is_refused_even_where_it_points_inside(root: Root, place: Path) -> None:
    (place / "abs").symlink_to(place / "README.md")
    with pytest.raises(PathOutsideWorkspace):
        root.open_file("abs")


def test_links_that_stay_inside_are_followed(root: Root, place: Path) -> None:
    (place / "src" / "deep" / "up").symlink_to("../..")
    (place / "short").symlink_to("src/deep/")
    assert content(root, "short/up/README.md") == "inside"
    assert root.stat("short/up/README.md").st_size == 6
    assert root.list("short/up").total == 3


def test_links_in_a_circle_end(root: Root, place: Path) -> None:
    (place / "a").symlink_to("b")
    (place / "b").symlink_to("a")
    with pytest.raises(NotAFile, match="circles"):
        root.open_file("a")


def test_a_pipe_never_makes_it_wait(root: Root, place: Path) -> None:
    os.mkfifo(place / "pipe")
    with pytest.raises(NotAFile, match="pipe"):
        root.open_file("pipe")
    with pytest.raises(NotAFile, match="pipe"):
        root.open_file("pipe", os.O_WRONLY)


def test_a_socket_is_no_file(
    root: Root, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)  # a socket's address must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s")
        with pytest.raises(NotAFile):
            root.open_file("s")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a device")
def test_a_device_is_no_file(root: Root, place: Path) -> None:
    os.mknod(place / "null", 0o666 | 0o020000, os.makedev(1, 3))
    with pytest.raises(NotAFile, match="device"):
        root.open_file("null")


def test_what_is_not_a_file_or_not_there_is_said_plainly(root: Root) -> None:
    with pytest.raises(NotAFile, match="'src' names a folder"):
        root.open_file("src")
    with pytest.raises(NotAFile, match="folder"):
        root.open_file("src", os.O_WRONLY)
    with pytest.raises(Missing, match="'nope'"):
        root.open_file("nope")
    with pytest.raises(NotAFolder):
        root.open_file("README.md/x")
    with pytest.raises(NotAFolder):
        root.list("README.md")
    with pytest.raises(Missing):
        root.stat("src/nope")


def test_what_may_not_be_read_is_said_plainly(root: Root, place: Path) -> None:
    (place / "locked").write_text("x")
    (place / "locked").chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        with pytest.raises(NoPermission, match="'locked'"):
            root.open_file("locked")
    finally:
        os.seteuid(user)


def test_a_folder_that_may_only_be_passed_is_passed(root: Root, place: Path) -> None:
    (place / "src").chmod(0o711)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        assert content(root, "src/main.py") == "print()"
    finally:
        os.seteuid(user)


def test_a_new_file_is_made_inside_only(root: Root, place: Path, tmp_path: Path) -> None:
    (place / "dangling").symlink_to("../made")
    create = os.O_WRONLY | os.O_CREAT
    with pytest.raises(PathOutsideWorkspace):
        root.open_file("dangling", create)
    with pytest.raises(FileExistsError):
        root.open_file("dangling", create | os.O_EXCL)
    assert not (tmp_path / "made").exists()
    os.close(root.open_file("src/new", create | os.O_EXCL, 0o600))
    assert (place / "src" / "new").stat().st_mode & 0o777 == 0o600


def test_a_listing_names_kinds_and_sizes_folders_first(root: Root, place: Path) -> None:
    (place / "Link").symlink_to("../secret")
    (place / ".hidden").write_text("abc")
    listing = root.list()
    assert listing.entries == (
        Entry("src", "folder"),
        Entry(".hidden", "file", 3),
        Entry("Link", "link", 0, "../secret"),
        Entry("README.md", "file", 6),
    )
    assert root.list(".", limit=1).entries == (Entry("src", "folder"),)
    assert root.list(".", limit=1).total == 4


def test_a_root_that_is_no_folder_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(Missing):
        Root(tmp_path / "nope")


def test_a_root_that_was_removed_shows_nothing_else(root: Root, place: Path) -> None:
    place.rename(place.parent / "gone")
    (place).mkdir()
    (place / "README.md").write_text("another")
    assert content(root, "README.md") == "inside"


def test_no_descriptor_is_left_open(root: Root, place: Path) -> None:
    (place / "out").symlink_to("..")
    (place / "a").symlink_to("a")
    before = descriptors() if os.path.isdir(FOLDER) else 0
    for path in ("src/deep/nope", "out/secret", "a", "src", "src/main.py/x", "src/deep/../../a"):
        with pytest.raises(Exception):  # noqa: B017, PT011
            root.open_file(path)
        with pytest.raises(Exception):  # noqa: B017, PT011
            root.list(path + "/nope")
    root.stat("src/main.py")
    root.list("src/deep/..")
    after = descriptors() if before else 0
    assert after <= before


def test_the_canonical_path_is_the_one_that_links_lead_to(root: Root, place: Path) -> None:
    (place / "link").symlink_to("src")
    (place / "gone").symlink_to("nowhere")
    assert root.canonical("link/main.py") == "src/main.py"
    assert root.canonical(f"{place}/link/../README.md") == "README.md"
    assert root.canonical("link/new/file.txt") == "src/new/file.txt"
    assert root.canonical("gone") == "gone"
    assert root.canonical(".") == "."
    assert root.canonical("new") == "new"


def test_there_is_no_canonical_path_outside_or_through_what_is_missing(
    root: Root, place: Path
) -> None:
    (place / "out").symlink_to("..")
    for path in ("../x", "out/secret", "out/new"):
        with pytest.raises(PathOutsideWorkspace):
            root.canonical(path)
    with pytest.raises(Missing):
        root.canonical("missing/../README.md")
    with pytest.raises(NotAFolder):
        root.canonical("README.md/x")


def test_the_canonical_path_follows_a_workspace_that_was_moved(root: Root, place: Path) -> None:
    place.rename(place.with_name("moved"))
    assert root.canonical("src/main.py") == "src/main.py"


@pytest.mark.requirement("A35")
def test_a_canonical_path_is_opened_without_following_any_link(root: Root, place: Path) -> None:
    (place / "link").symlink_to("src")
    (place / "file").symlink_to("README.md")
    (place / "nowhere").symlink_to("missing")
    (place / "out").symlink_to("/etc")
    for path in ("link/main.py", "file", "nowhere", "out/passwd", "link/../README.md"):
        with pytest.raises(Linked, match="symbolic link"):
            root.open_file(path, follow=False)
    for path in ("link", "link/deep", "out"):
        with pytest.raises(Linked):
            root.list(path, follow=False)
    for path in ("link", "file", "nowhere", "link/main.py"):
        with pytest.raises(Linked):
            root.stat(path, follow=False)
    os.close(root.open_file(root.canonical("link/main.py"), follow=False))
    assert root.stat("src/main.py", follow=False).st_size == 7
    assert [entry.name for entry in root.list("src", follow=False).entries] == ["deep", "main.py"]
    with pytest.raises(Missing):
        root.open_file("src/missing", follow=False)
    with pytest.raises(NotAFolder):
        root.open_file("README.md/x", follow=False)
