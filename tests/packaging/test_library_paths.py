"""Folders of the computer that a bundle was made on are taken out of its libraries; what is relative stays."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "packaging" / "library_paths.py"
spec = importlib.util.spec_from_file_location("library_paths", SCRIPT)
assert spec
assert spec.loader
library_paths = importlib.util.module_from_spec(spec)
spec.loader.exec_module(library_paths)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no compiler here")
@pytest.mark.parametrize("tags", ["--enable-new-dtags", "--disable-new-dtags"], ids=["runpath", "rpath"])
def test_a_folder_outside_goes_and_the_library_still_works(tmp_path: Path, tags: str) -> None:
    for name, folder in (("outside", "/home/builder/python/lib"), ("beside", "$ORIGIN/../lib")):
        command = ["cc", "-shared", "-fPIC", f"-Wl,{tags},-rpath,{folder}", "-xc", "-", "-o", tmp_path / f"{name}.so"]
        subprocess.run(command, input=b"int answer(void) { return 42; }", check=True)
    beside, link = (tmp_path / "beside.so").read_bytes(), tmp_path / "link.so"
    link.hardlink_to(tmp_path / "outside.so")
    before = link.read_bytes()
    (tmp_path / "in").mkdir()
    (tmp_path / "outside.so").rename(tmp_path / "in" / "outside.so")
    (tmp_path / "beside.so").rename(tmp_path / "in" / "beside.so")
    assert library_paths.main(tmp_path / "in") == 1
    assert link.read_bytes() == before, "others may share the file"
    assert (tmp_path / "in" / "beside.so").read_bytes() == beside
    changed = (tmp_path / "in" / "outside.so").read_bytes()
    assert len(changed) == len(before)
    assert changed != before
    assert ctypes.CDLL(str(tmp_path / "in" / "outside.so")).answer() == 42
    assert library_paths.main(tmp_path / "in") == 0


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"MZ of another system", b"\x7fELF\x01\x01" + bytes(100)])
def test_what_is_no_such_library_stays_as_it_is(content: bytes) -> None:
    assert library_paths.without_folders(content) == content
