"""Files that somebody else changed are noticed by what they hold."""

import hashlib
import os
from pathlib import Path

from bottega.workers.acting.others import Others
from bottega.workspaces.confine import Root


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_change_is_noticed_and_a_mere_touch_is_not(tmp_path: Path) -> None:
    others, file = Others(), tmp_path / "a"
    file.write_text("one")
    seen = {"a": digest("one")}
    assert others.changed(Root(tmp_path), seen, {}) == {}
    os.utime(file, (1, 1))
    assert others.changed(Root(tmp_path), seen, {}) == {}
    file.write_text("two")
    assert others.changed(Root(tmp_path), seen, {}) == {"a": digest("two")[:16]}
    file.write_text("one")
    assert others.changed(Root(tmp_path), seen, {}) == {}


def test_what_the_session_wrote_or_removed_itself_is_its_own_doing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("two")
    seen = {"a": digest("one"), "gone": digest("x")}
    assert Others().changed(Root(tmp_path), seen, {"a": digest("two"), "gone": digest("x")}) == {}


def test_a_file_that_vanished_is_told(tmp_path: Path) -> None:
    assert Others().changed(Root(tmp_path), {"a": digest("one")}, {}) == {"a": "gone"}


def test_what_cannot_be_told_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * (4 * 1024 * 1024 + 1))
    (tmp_path / "link").symlink_to("large")
    os.mkfifo(tmp_path / "pipe")
    seen = dict.fromkeys(("large", "link", "pipe"), digest("one"))
    assert Others().changed(Root(tmp_path), seen, {}) == {}
