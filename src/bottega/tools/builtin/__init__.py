"""The tools that come with the house; each is imported when the registry is first made."""

from bottega.tools.registry import Registry


def builtin_registry() -> Registry:
    from bottega.tools.builtin.files.list_dir import LIST_DIR
    from bottega.tools.builtin.files.read_file import READ_FILE
    from bottega.tools.builtin.shell.bash_exec import BASH_EXEC
    from bottega.tools.builtin.shell.read_output import READ_OUTPUT
    from bottega.tools.builtin.shell.shell_close import SHELL_CLOSE
    from bottega.tools.builtin.shell.shell_exec import SHELL_EXEC
    from bottega.tools.builtin.shell.shell_open import SHELL_OPEN

    files = (READ_FILE, LIST_DIR)
    shell = (BASH_EXEC, SHELL_OPEN, SHELL_EXEC, SHELL_CLOSE, READ_OUTPUT)
    return Registry((*files, *shell))
