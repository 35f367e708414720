from pathlib import Path

import pytest

from bottega.messages.block import Image, Text
from bottega.tools.tool import failure, success
from tests.tools.contexts import said


@pytest.mark.requirement("A18", "A27")
def test_an_outcome_is_told_as_json_with_a_status() -> None:
    assert said(success({"a": 1})) == {"status": "success", "result": {"a": 1}}
    assert said(success(None)) == {"status": "success", "result": None}
    assert said(failure("no", "NOT_FOUND")) == {
        "status": "error",
        "error": {"message": "no", "code": "NOT_FOUND"},
    }


def test_media_stand_beside_the_text_not_in_it() -> None:
    image = Image("image/png", "aGk=")
    content = success("seen", (image,)).to_content()
    assert content == (Text('{"status":"success","result":"seen"}'), image)


def test_text_that_is_no_text_is_still_told() -> None:
    assert success({"name": "\udcff"}).to_text().isascii()
    assert "a/b" in success(Path("a/b")).to_text()
