"""The tools that come with the house; each is imported when the registry is first made."""

from bottega.tools.registry import Registry


def builtin_registry() -> Registry:
    from bottega.tools.builtin.files.list_dir import LIST_DIR
    from bottega.tools.builtin.files.read_file import READ_FILE

    return Registry((READ_FILE, LIST_DIR))
