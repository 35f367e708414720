"""The shelf: the user's own agents win, a broken one hurts nobody else, and what was just written counts."""

import os
from pathlib import Path

import pytest

from bottega.agents.agent import Agent
from bottega.agents.house import ORDER
from bottega.agents.shelf import Shelf
from bottega.agents.spec import Spec, WrongSpec
from bottega.errors import NotFound
from bottega.tools.builtin import builtin_registry
from bottega.tools.registry import Registry

REGISTRY = builtin_registry()
GOOD = 'system_prompt = "Mine."\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "agents"
    made.mkdir()
    return made


@pytest.fixture
def shelf(folder: Path) -> Shelf:
    return Shelf(folder, lambda: REGISTRY)


def names(shelf: Shelf) -> list[str]:
    return [f"{each.origin} {each.slug}" for each in shelf.all()]


def test_without_own_ones_it_holds_those_of_the_house(tmp_path: Path) -> None:
    asked: list[int] = []

    def registry() -> Registry:
        asked.append(1)
        return REGISTRY

    shelf = Shelf(tmp_path / "missing", registry)
    assert names(shelf) == [f"house {slug}" for slug in ORDER]
    assert shelf.get("coder").slug == "coder"
    assert shelf.problems() == []
    assert asked == [], "those of the house are checked by tests, and cost nothing at the start"


def test_an_own_agent_of_the_same_slug_wins(shelf: Shelf, folder: Path) -> None:
    (folder / "coder.toml").write_text(GOOD)
    (folder / "tester.toml").write_text(GOOD)
    assert names(shelf)[:3] == ["own coder", "own tester", "house assistant"]
    assert "house coder" not in names(shelf)
    assert shelf.get("coder").prompt == "Mine."
    assert shelf.slugs == ["coder", "tester", "assistant", *ORDER[2:]]


def test_a_file_counts_as_soon_as_it_is_written_mended_or_removed(
    shelf: Shelf, folder: Path
) -> None:
    file = folder / "mine.toml"
    with pytest.raises(NotFound):
        shelf.get("mine")
    file.write_text("system_prompt = 3")
    with pytest.raises(WrongSpec):
        shelf.get("mine")
    file.write_text(GOOD)
    assert shelf.get("mine").prompt == "Mine."
    same = file.stat()
    file.write_text(GOOD.replace("Mine", "Ours"))
    os.utime(file, ns=(same.st_atime_ns, same.st_mtime_ns + 1))
    assert shelf.get("mine").prompt == "Ours."
    file.unlink()
    with pytest.raises(NotFound):
        shelf.get("mine")


def test_a_file_that_did_not_change_is_not_read_again(shelf: Shelf, folder: Path) -> None:
    (folder / "mine.toml").write_text(GOOD)
    assert shelf.find("mine") is shelf.find("mine")


def test_a_broken_file_hurts_no_other_and_is_told_wherever_it_is_asked_for(
    shelf: Shelf, folder: Path
) -> None:
    (folder / "bad.toml").write_text("system_prompt = ''\ntools = ['fly']\n")
    (folder / "coder.toml").write_text("= nothing")
    (folder / "good.toml").write_text(GOOD)
    assert shelf.get("good").prompt == "Mine."
    assert shelf.get("assistant").slug == "assistant"
    found = {each.slug: each.problems for each in shelf.all()}
    assert [len(found[slug]) for slug in ("bad", "coder", "good")] == [2, 1, 0]
    bad, coder = shelf.problems()
    assert f"The agent file {str(folder / 'bad.toml')!r} is wrong: system_prompt is empty" in bad
    assert bad.endswith("(and 1 more). `bottega agents validate bad` lists every problem.")
    with pytest.raises(WrongSpec) as caught:
        shelf.get("coder")
    assert str(caught.value) == coder, "the house's own does not step in unseen"


@pytest.mark.parametrize("name", ["My Agent.toml", "a_b.toml", "A.toml"])
def test_a_file_whose_name_is_no_slug_is_told(shelf: Shelf, folder: Path, name: str) -> None:
    (folder / name).write_text(GOOD)
    (told,) = shelf.problems()
    assert "its name is no slug; call it " in told


def test_odd_things_in_the_folder_are_told_and_never_waited_for(shelf: Shelf, folder: Path) -> None:
    (folder / "folder.toml").mkdir()
    os.mkfifo(folder / "pipe.toml")
    (folder / "binary.toml").write_bytes(b"\xff\xfe\x00")
    (folder / "large.toml").write_text(f'system_prompt = "{"a" * 1_000_001}"')
    (folder / "link.toml").symlink_to(folder / "nowhere")
    (folder / ".hidden.toml").write_text("=")
    (folder / "notes.txt").write_text("=")
    told = {each.slug: each.problems for each in shelf.all() if each.origin == "own"}
    assert told == {
        "binary": ("it is no text in UTF-8",),
        "folder": ("it is no file",),
        "large": ("it is larger than 1 MB",),
        "link": ("the link leads nowhere",),
        "pipe": ("it is no file",),
    }


def test_a_folder_that_is_a_file_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "agents").write_text("")
    assert names(Shelf(tmp_path / "agents", lambda: REGISTRY)) == [
        f"house {slug}" for slug in ORDER
    ]


def test_who_is_not_there_is_told_with_the_nearest_name_and_all_names(shelf: Shelf) -> None:
    with pytest.raises(NotFound) as caught:
        shelf.get("codr")
    assert str(caught.value) == (
        "There is no agent 'codr'. Did you mean 'coder'?"
        " There are: assistant, coder, planner, reviewer, explainer, site-builder."
    )


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "", "a/b", "a\0b", "x" * 5000])
def test_a_name_that_is_no_slug_opens_no_file(shelf: Shelf, folder: Path, name: str) -> None:
    (folder.parent / "secret.toml").write_text(GOOD)
    with pytest.raises(NotFound):
        shelf.get(name)


def test_a_programs_own_agents_come_first(folder: Path) -> None:
    (folder / "mine.toml").write_text(GOOD)
    agent = Agent(slug="mine", prompt="The program's.", reasoning_in_answer=True)
    spec = Spec(slug="coder", name="C", system_prompt="Also the program's.")
    shelf = Shelf(folder, lambda: REGISTRY, [agent, spec])
    assert shelf.get("mine") is agent
    assert shelf.get("coder").prompt == "Also the program's."
    assert names(shelf)[:3] == ["program mine", "program coder", "house assistant"]
    assert shelf.slugs[:2] == ["mine", "coder"]


def test_a_programs_agent_is_checked_like_any(folder: Path) -> None:
    shelf = Shelf(folder, lambda: REGISTRY, [Agent(slug="mine")])
    with pytest.raises(WrongSpec, match="The agent 'mine' is wrong: system_prompt is empty"):
        shelf.get("mine")
