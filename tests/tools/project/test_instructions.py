"""Instruction files: of the workspace and of the repository around it, bounded, and never from above the project."""

import os
from pathlib import Path

import pytest

from bottega.events.facts import Instructions
from bottega.tools.project.instructions import ALL, LARGEST, instructions, repository_of
from bottega.workspaces.confine import Root


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a package in it, which is the workspace."""
    made = tmp_path / "repository"
    (made / ".git").mkdir(parents=True)
    (made / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (made / "packages/shop").mkdir(parents=True)
    return made


def test_the_nearest_file_comes_last_and_only_up_to_the_repository(repository: Path) -> None:
    (repository.parent / "AGENTS.md").write_text("outside")
    (repository / "AGENTS.md").write_text("all")
    (repository / "packages/shop/AGENTS.md").write_text("shop")
    assert instructions(Root(repository).beneath("packages/shop")) == (
        Instructions("../../AGENTS.md", "all"),
        Instructions("AGENTS.md", "shop"),
    )
    assert instructions(Root(repository)) == (Instructions("AGENTS.md", "all"),)


def test_without_a_repository_only_the_folders_own_file_counts(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("above")
    folder = tmp_path / "folder"
    folder.mkdir()
    assert instructions(Root(tmp_path).beneath("folder")) == ()
    (folder / "AGENTS.md").write_text("here")
    assert instructions(Root(tmp_path).beneath("folder")) == (Instructions("AGENTS.md", "here"),)


def test_another_name_is_taken_where_there_is_no_agents_file(tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("other")
    assert instructions(Root(tmp_path)) == (Instructions("CLAUDE.md", "other"),)
    (tmp_path / "AGENTS.md").write_text("first")
    assert instructions(Root(tmp_path)) == (Instructions("AGENTS.md", "first"),)


@pytest.mark.parametrize("kind", ["link", "absolute", "pipe", "folder", "binary", "blank"])
def test_what_is_no_text_of_the_project_is_left_out(tmp_path: Path, kind: str) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "folder"
    secret.write_text("key")
    folder.mkdir()
    file = folder / "AGENTS.md"
    match kind:
        case "link":
            file.symlink_to("../secret")
        case "absolute":
            file.symlink_to(secret)
        case "pipe":
            os.mkfifo(file)
        case "folder":
            file.mkdir()
        case "binary":
            file.write_bytes(b"a\0b")
        case _:
            file.write_text(" \n")
    assert instructions(Root(folder)) == ()


def test_a_link_in_the_workspace_leads_nowhere_else_in_the_repository(repository: Path) -> None:
    (repository / "secret").write_text("key")
    workspace = repository / "packages/shop"
    (workspace / "AGENTS.md").symlink_to("../../secret")
    assert instructions(Root(repository).beneath("packages/shop")) == ()
    (workspace / "docs").mkdir()
    (workspace / "docs/rules.md").write_text("inside")
    (workspace / "AGENTS.md").unlink()
    (workspace / "AGENTS.md").symlink_to("docs/rules.md")
    assert instructions(Root(repository).beneath("packages/shop")) == (
        Instructions("AGENTS.md", "inside"),
    )


def test_a_long_file_is_cut_with_a_word_and_the_nearest_ones_have_the_room(
    repository: Path,
) -> None:
    for place in (".", "packages", "packages/shop"):
        (repository / place / "AGENTS.md").write_text("x" * LARGEST * 2)
    found = instructions(Root(repository).beneath("packages/shop"))
    assert "AGENTS.md is cut here: the first 24,000 characters are shown.]" in found[-1].text
    assert sum(len(each.text) for each in found) < ALL + 1000
    assert found[-1].text.count("x") == LARGEST
    assert found[0].text.count("x") < 200


def test_a_file_that_is_no_utf8_is_told_as_far_as_it_is_text(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_bytes(b"caf\xe9")
    assert instructions(Root(tmp_path))[0].text == "caf�"


def test_a_repository_that_somebody_else_put_above_is_not_believed(tmp_path: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give a folder away")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "AGENTS.md").write_text("do as I say")
    folder = tmp_path / "folder"
    folder.mkdir()
    root = Root(tmp_path).beneath("folder")
    assert repository_of(root) == "."
    os.chown(tmp_path / ".git", 12345, 12345)
    assert repository_of(root) is None
    assert instructions(root) == ()


def test_a_placeholder_of_a_sandbox_is_no_repository(repository: Path) -> None:
    folder = repository / "packages/shop"
    (folder / ".git").mkdir()
    assert repository_of(Root(repository).beneath("packages/shop")) == "."


def test_nothing_above_the_projects_folder_counts_even_in_the_same_repository(
    repository: Path,
) -> None:
    (repository / "AGENTS.md").write_text("somebody else's")
    (repository / "packages/AGENTS.md").write_text("the project's")
    (repository / "packages/shop/AGENTS.md").write_text("shop")
    with Root(repository / "packages") as project, project.beneath("shop") as root:
        assert repository_of(root) is None
        assert instructions(root) == (Instructions("AGENTS.md", "shop"),)
        (repository / "packages/.git").write_text("gitdir: elsewhere\n")
        assert [each.text for each in instructions(root)] == ["the project's", "shop"]


def test_a_folder_that_is_gone_has_no_instructions(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    root = Root(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert instructions(root) == ()
