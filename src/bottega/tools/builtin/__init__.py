"""The tools that come with the house; each is imported when the registry is first made."""

from bottega.tools.registry import Registry
from bottega.tools.web.fetch import Fetcher


def builtin_registry(fetcher: Fetcher | None = None) -> Registry:
    """All of them; pages are fetched by `fetcher`, or by one that knows no private network."""
    from bottega.tools.builtin.files.glob import GLOB
    from bottega.tools.builtin.files.grep import GREP
    from bottega.tools.builtin.files.list_dir import LIST_DIR
    from bottega.tools.builtin.files.multi_edit import MULTI_EDIT
    from bottega.tools.builtin.files.patch_file import PATCH_FILE
    from bottega.tools.builtin.files.read_file import READ_FILE
    from bottega.tools.builtin.files.write_file import WRITE_FILE
    from bottega.tools.builtin.planning.ask_user import ASK_USER
    from bottega.tools.builtin.planning.delegate import DELEGATE
    from bottega.tools.builtin.planning.todo_read import TODO_READ
    from bottega.tools.builtin.planning.todo_write import TODO_WRITE
    from bottega.tools.builtin.project.about import GET_PROJECT_INFO
    from bottega.tools.builtin.shell.bash_exec import BASH_EXEC
    from bottega.tools.builtin.shell.read_output import READ_OUTPUT
    from bottega.tools.builtin.shell.shell_close import SHELL_CLOSE
    from bottega.tools.builtin.shell.shell_exec import SHELL_EXEC
    from bottega.tools.builtin.shell.shell_open import SHELL_OPEN
    from bottega.tools.builtin.web.web_fetch import web_fetch

    files = (READ_FILE, LIST_DIR, GLOB, GREP, WRITE_FILE, PATCH_FILE, MULTI_EDIT)
    shell = (BASH_EXEC, SHELL_OPEN, SHELL_EXEC, SHELL_CLOSE, READ_OUTPUT)
    planning = (GET_PROJECT_INFO, TODO_READ, TODO_WRITE, ASK_USER, DELEGATE)
    return Registry((*files, *shell, *planning, web_fetch(fetcher or Fetcher())))
