"""The tools that come with the house; each is imported when the registry is first made."""

from bottega.tools.registry import Registry


def builtin_registry() -> Registry:
    from bottega.tools.builtin.files.glob import GLOB
    from bottega.tools.builtin.files.grep import GREP
    from bottega.tools.builtin.files.list_dir import LIST_DIR
    from bottega.tools.builtin.files.multi_edit import MULTI_EDIT
    from bottega.tools.builtin.files.patch_file import PATCH_FILE
    from bottega.tools.builtin.files.read_file import READ_FILE
    from bottega.tools.builtin.files.write_file import WRITE_FILE
    from bottega.tools.builtin.planning.ask_user import ASK_USER
    from bottega.tools.builtin.planning.todo_read import TODO_READ
    from bottega.tools.builtin.planning.todo_write import TODO_WRITE
    from bottega.tools.builtin.project.about import GET_PROJECT_INFO

    return Registry(
        (
            READ_FILE,
            LIST_DIR,
            GLOB,
            GREP,
            WRITE_FILE,
            PATCH_FILE,
            MULTI_EDIT,
            GET_PROJECT_INFO,
            TODO_READ,
            TODO_WRITE,
            ASK_USER,
        )
    )
