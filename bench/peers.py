"""The peers' own virtual environment in `.bench/venv`, installed from the hashed lock beside this file."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".bench"
PYTHON = FOLDER / "venv" / "bin" / "python"
LOCK = ROOT / "bench" / "requirements.txt"


def ready() -> str:
    """Install the peers if the lock has changed; return why they cannot be measured, or nothing."""
    stamp = FOLDER / "venv" / "ready"
    digest = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return ""
    own = ROOT / ".uv" / "bin" / "uv"
    uv = str(own) if own.exists() else shutil.which("uv")
    if uv is None:
        return "there is no uv; `make .uv/ready` installs it"
    made = [uv, "venv", "-q", "--allow-existing", "-p", sys.executable, str(FOLDER / "venv")]
    filled = [uv, "pip", "install", "-q", "-p", str(PYTHON), "--require-hashes", "-r", str(LOCK)]
    for command in (made, filled):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"uv failed: {' '.join(done.stderr.split())[:300]}"
    stamp.write_text(digest)
    return ""
