"""The table of features and the tests agree, both ways."""

from pathlib import Path

from tests.requirements import REQUIREMENTS, ids, marks, table


def test_the_table_has_exactly_the_numbered_features() -> None:
    assert list(REQUIREMENTS) == ids()


def test_every_marked_feature_exists() -> None:
    assert {name: tests for name, tests in marks().items() if name not in REQUIREMENTS} == {}


def test_every_feature_that_is_called_shown_has_a_test() -> None:
    tests = marks()
    unshown = [n for n, r in REQUIREMENTS.items() if r.state == "shown" and n not in tests]
    assert unshown == []


def test_no_feature_that_is_called_not_yet_has_a_test() -> None:
    tests = marks()
    early = {n: tests[n] for n, r in REQUIREMENTS.items() if r.state == "not yet" and n in tests}
    assert early == {}


def test_each_feature_is_one_sentence_and_no_two_are_the_same() -> None:
    sentences = [requirement.sentence for requirement in REQUIREMENTS.values()]
    assert all(s.endswith(".") and s[0].isupper() for s in sentences)
    assert len(set(sentences)) == len(sentences)


def test_marks_are_read_from_decorators_of_functions_methods_and_classes(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(
        "import pytest\n"
        '@pytest.mark.requirement("A01", "A02")\n'
        "def test_one(): ...\n"
        '@pytest.mark.requirement("A02")\n'
        "async def test_two(): ...\n"
        '@pytest.mark.requirement("A03")\n'
        "class TestMore:\n"
        '    @pytest.mark.requirement("A04")\n'
        "    def test_three(self): ...\n"
        '@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.requirement("A05"))])\n'
        "def test_four(x): ...\n"
    )
    assert marks(tmp_path) == {
        "A01": ["test_some.py::test_one"],
        "A02": ["test_some.py::test_one", "test_some.py::test_two"],
        "A03": ["test_some.py::TestMore"],
        "A04": ["test_some.py::test_three"],
        "A05": ["test_some.py::test_four"],
    }


def test_the_printed_table_names_the_tests_and_what_is_missing() -> None:
    printed = table()
    assert "A15  A message has a role" in printed
    assert "messages/test_block.py::test_a_role_that_does_not_exist_is_refused" in printed
    assert "not yet" in printed
