"""The artefacts that are in dist/, each on a bare system: packaging/trial, where that can be run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("*.deb", "*.run", "*.whl")
ARTEFACTS = sorted(str(file) for kind in KINDS for file in (ROOT / "dist").glob(kind))
CAN_TRY = os.name == "posix" and os.geteuid() == 0 and all(map(shutil.which, ("debootstrap", "Xvfb", "unshare")))


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.skipif(not CAN_TRY, reason="it needs root, debootstrap, Xvfb and unshare")
@pytest.mark.skipif(not ARTEFACTS, reason="packaging/build has made nothing yet")
@pytest.mark.parametrize("file", ARTEFACTS, ids=os.path.basename)
def test_an_artefact_works_on_a_bare_system(file: str) -> None:
    ended = subprocess.run([ROOT / "packaging" / "trial", file], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
