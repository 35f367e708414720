"""How much of a file goes over the wire at once; the one place for it."""

MIB = 1024 * 1024

WHOLE = 10 * MIB
"""Bytes of a file that can be edited as text; a larger one is read in pieces and replaced by an upload."""
WRITTEN_OUT = 2 * WHOLE
"""Bytes that the text of such a file may take as JSON, which has six for some of its characters."""
PIECE = MIB
"""Bytes of one piece of a larger file."""
UPLOAD = 100 * MIB
ZIPPED = 2048 * MIB
"""Bytes of all files of a folder that is downloaded."""
ZIPPED_FILES = 50_000
LOOKED_AT = 200_000
"""Entries of a folder that is downloaded, and of all folders in it, whether they are to be in it or not."""
ENTRIES = 1_000
"""Entries of a folder on one page, and of folders inside it together."""
DIFFERENCE = MIB
"""Bytes of a difference that are shown."""
