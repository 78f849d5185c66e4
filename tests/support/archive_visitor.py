"""Another program that looks at the archive while it is open here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

VISITOR = """
import sqlite3, sys
archive = sqlite3.connect(sys.argv[1])
print(archive.execute("SELECT COUNT(*) FROM entries").fetchone()[0])
archive.close()
"""


def seen_by_a_visitor(archive: Path) -> int:
    """The entries that another program finds, which opens the archive as any other database and closes it again."""
    command = [sys.executable, "-c", VISITOR, str(archive)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
