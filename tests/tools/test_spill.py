"""The spill store: whole outputs, named by their content."""

from __future__ import annotations

import asyncio
import os
import resource
import stat
import time
from hashlib import sha256
from pathlib import Path

import pytest

from desktop_app.chat.ports import WorldError
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.truncate import truncate_result
from desktop_app.tools.spill import SpillFolder


@pytest.fixture
def spills(tmp_path: Path) -> SpillFolder:
    return SpillFolder(tmp_path / "spills")


def path_of(folder: Path, name: str) -> Path:
    return folder / "spills" / name[:2] / name


async def test_a_text_is_kept_once_for_the_user_alone_and_read_back(spills: SpillFolder, tmp_path: Path) -> None:
    text = "ä\r\n\ud800\0end"
    name, *others = await asyncio.gather(*(spills.keep(text) for _ in range(9)))
    assert name == sha256(text.encode(errors="surrogatepass")).hexdigest()
    assert set(others) == {name}
    path = path_of(tmp_path, name)
    assert [file for file in (tmp_path / "spills").rglob("*") if file.is_file()] == [path]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in (path.parent, path.parent.parent)} == {0o700}
    assert [await spills.read(start) for start in (name, name[:12])] == [text, text]
    long = "x\n" * 10_000
    assert await spills.keep(long) == truncate_result(long, "bash", ContextPolicy()).spill


async def test_what_is_not_there_is_none(spills: SpillFolder, tmp_path: Path) -> None:
    for name in ("", "0" * 11, "0" * 12, "0" * 64, "../../etc/passwd", "A" * 64, "0" * 65):
        assert await spills.read(name) is None
    name = await spills.keep("one")
    path_of(tmp_path, name[:12] + "0" * 52).write_text("two")
    assert await spills.read(name[:12]) is None, "that names two"
    assert await spills.read(name[:20]) == "one"


async def test_a_file_that_a_crash_left_half_written_is_written_again(spills: SpillFolder, tmp_path: Path) -> None:
    name = await spills.keep("whole")
    path_of(tmp_path, name).write_text("who")
    await spills.keep("whole")
    assert await spills.read(name) == "whole"


async def test_what_is_old_and_not_used_is_cleaned_up(spills: SpillFolder, tmp_path: Path) -> None:
    names = [await spills.keep(text) for text in ("old", "old but used", "kept again", "new")]
    half = path_of(tmp_path, names[0]).with_name(".half.new")
    half.write_text("somebody may be writing it")
    assert await spills.clean(set(), 30) == 0
    for path in (half, *(path_of(tmp_path, name) for name in names[:3])):
        os.utime(path, (0, time.time() - 31 * 86_400))
    await spills.keep("kept again")
    assert await spills.clean({names[1]}, 30) == 2
    assert not half.exists()
    assert [await spills.read(name) for name in names] == [None, "old but used", "kept again", "new"]


async def test_a_full_disk_leaves_no_half_file(spills: SpillFolder) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))  # the system refuses to write more, as a full disk
    try:
        with pytest.raises(WorldError) as raised:
            await spills.keep("x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert raised.value.failure.kind == "disk"
    assert await spills.read(sha256(b"x" * 100_000).hexdigest()) is None
    assert await spills.clean(set(), -1) == 0, "nothing is left beside it"
