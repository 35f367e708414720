"""What runs inside (`inside`), packed as one file that Python can run: it is sent in, and needs nothing else there."""

import io
import zipfile
from functools import cache
from pathlib import Path

_MAIN = "from inside.warden import main\n\nmain()\n"


@cache
def packed() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("__main__.py", _MAIN)
        for path in sorted(Path(__file__).with_name("inside").glob("*.py")):
            archive.writestr(f"inside/{path.name}", path.read_bytes())
    return held.getvalue()
