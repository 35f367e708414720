"""Whom a few letters mean among many paths."""

import random
import time

import pytest

from bottega.projects.files.match import match, named

PATHS = (
    "README.md",
    "src/app/main.py",
    "src/app/parse_match_file.py",
    "src/app/newHTTPClient.ts",
    "src/domain/main_test.py",
    "docs/maintenance/notes.txt",
    "tests/test_main.py",
    "web/src/composer/composer.tsx",
    "web/src/composer/parts.tsx",
)
LISTED = named(PATHS)


def found(wanted: str, limit: int = 5, within: str = "") -> list[str]:
    return match(LISTED, wanted, limit, within)


@pytest.mark.parametrize(
    ("wanted", "first"),
    [
        ("main", "src/app/main.py"),
        ("MAIN", "src/app/main.py"),
        ("readme", "README.md"),
        ("pmf", "src/app/parse_match_file.py"),
        ("parmatfi", "src/app/parse_match_file.py"),
        ("nhc", "src/app/newHTTPClient.ts"),
        ("testmain", "tests/test_main.py"),
        ("test main", "tests/test_main.py"),
        ("app/ma", "src/app/main.py"),
        ("s/a/m", "src/app/main.py"),
        ("composer", "web/src/composer/"),
        ("comp.tsx", "web/src/composer/composer.tsx"),
        ("notes", "docs/maintenance/notes.txt"),
    ],
)
def test_the_likeliest_path_comes_first(wanted: str, first: str) -> None:
    assert found(wanted)[0] == first


def test_what_holds_the_letters_in_another_order_is_not_found() -> None:
    assert found("niam") == []
    assert found("zzz") == []


def test_a_name_counts_more_than_the_folders_above_it() -> None:
    names = found("main", 10)
    assert names.index("tests/test_main.py") < names.index("docs/maintenance/notes.txt")


def test_without_letters_the_shallowest_come() -> None:
    assert found("", 4) == ["src/", "web/", "docs/", "tests/"]
    assert found("  ", 1) == ["src/"]


def test_only_what_lies_in_a_folder_is_found_there() -> None:
    assert found("main", within="src/app/") == ["src/app/main.py"]
    assert found("app", within="src/app/") == ["src/app/main.py", *found("app", 5, "src/app/")[1:]]
    assert "src/app/" not in found("", 20, "src/app/")


def test_signs_that_mean_something_elsewhere_are_letters_like_any() -> None:
    odd = named(["a[b]c.txt", "x^y.txt", "line\nbreak.txt", "back\\slash.txt", "-.-"])
    assert match(odd, "[b]", 5) == ["a[b]c.txt"]
    assert match(odd, "a]c", 5) == ["a[b]c.txt"]
    assert match(odd, "^", 5) == ["x^y.txt"]
    assert match(odd, "\\", 5) == ["back\\slash.txt"]
    assert match(odd, "linebreak", 5) == ["line\nbreak.txt"]
    assert match(odd, "--", 5) == ["-.-"]


def test_fifty_thousand_paths_are_searched_while_somebody_types() -> None:
    dice = random.Random(7)
    words = ["alpha", "beta", "gamma", "delta", "session", "parser", "index", "view", "test"]
    files = [
        "/".join(dice.choices(words, k=dice.randint(2, 6))) + f"_{number}.py"
        for number in range(50_000)
    ]
    listed = named([*files, "delta/needle_in_hay.py"])
    for wanted in ("s", "in", "nih", "needle", "session/parser", "aaaaaaaaaaaa", "x" * 200):
        begun = time.process_time()
        match(listed, wanted, 50)
        assert time.process_time() - begun < 0.5, wanted
    assert match(listed, "nih", 5)[0] == "delta/needle_in_hay.py"
