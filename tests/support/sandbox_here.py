"""Whether this machine and this checkout can show what the sandbox does."""

from __future__ import annotations

import sys
from pathlib import Path

from desktop_app.tools.sandbox.confinement import REPLACED, is_within
from desktop_app.tools.sandbox.sandbox import probe

ROOT = Path(__file__).resolve().parents[2]


def why_not() -> str:
    """Return why the tests of the sandbox are left out; "" if they are not."""
    if fault := probe().fault:
        return f"no sandbox: {fault}"
    ours = (sys.prefix, str(ROOT), str(Path.home().resolve()))
    if any(is_within(path, folder) for path in ours for folder in REPLACED):
        return "the checkout or the home is in a folder of which the sandbox has its own, such as /tmp"
    return ""
