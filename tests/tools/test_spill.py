"""The spill store: whole outputs, named by what stands in them."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.chat.ports import WorldError
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.truncate import truncate_result
from desktop_app.tools.spill import SpillFolder, is_spill_name


@pytest.fixture
def spills(tmp_path: Path) -> SpillFolder:
    return SpillFolder(tmp_path / "spills")


async def test_a_text_is_kept_once_and_read_back(spills: SpillFolder, tmp_path: Path) -> None:
    text = "ä\r\n\ud800\0end"
    name = await spills.keep(text)
    assert name == sha256(text.encode(errors="surrogatepass")).hexdigest()
    path = tmp_path / "spills" / name[:2] / name
    before = path.stat().st_ino
    assert await spills.keep(text) == name
    assert path.stat().st_ino == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "spills").stat().st_mode) == 0o700
    assert await spills.read(name) == text
    assert await spills.read(name[:12]) == text


async def test_it_has_the_name_that_truncation_tells(spills: SpillFolder) -> None:
    text = "x\n" * 10_000
    assert await spills.keep(text) == truncate_result(text, "bash", ContextPolicy()).spill


async def test_what_is_not_there_is_none(spills: SpillFolder) -> None:
    for name in ("", "0" * 11, "0" * 12, "0" * 64, "../../etc/passwd", "A" * 64, "0" * 65):
        assert await spills.read(name) is None


async def test_a_beginning_that_names_two_names_none(spills: SpillFolder, tmp_path: Path) -> None:
    name = await spills.keep("one")
    other = tmp_path / "spills" / name[:2] / (name[:12] + "0" * 52)
    other.write_text("two")
    assert await spills.read(name[:12]) is None
    assert await spills.read(name[:20]) == "one"


async def test_a_file_that_a_crash_left_half_written_is_written_anew(spills: SpillFolder, tmp_path: Path) -> None:
    name = await spills.keep("whole")
    (tmp_path / "spills" / name[:2] / name).write_text("who")
    await spills.keep("whole")
    assert await spills.read(name) == "whole"


async def test_calls_at_the_same_time_leave_one_file(spills: SpillFolder, tmp_path: Path) -> None:
    names = set(await asyncio.gather(*(spills.keep("same") for _ in range(20))))
    assert [file.name for file in (tmp_path / "spills").rglob("*") if file.is_file()] == list(names)


async def test_what_is_old_and_not_used_is_cleaned_up(spills: SpillFolder, tmp_path: Path) -> None:
    names = [await spills.keep(text) for text in ("old", "old but used", "new")]
    for name in names[:2]:
        os.utime(tmp_path / "spills" / name[:2] / name, (0, time.time() - 31 * 86_400))
    assert await spills.clean({names[1]}, 30) == 1
    assert [await spills.read(name) for name in names] == [None, "old but used", "new"]


async def test_what_a_killed_engine_left_half_written_is_cleaned_up(spills: SpillFolder, tmp_path: Path) -> None:
    name = await spills.keep("x")
    half = tmp_path / "spills" / name[:2] / ".half.new"
    half.write_text("h")
    assert await spills.clean({name}, 30) == 0, "somebody may be writing it"
    os.utime(half, (0, 0))
    assert await spills.clean({name}, 30) == 1
    assert not half.exists()
    assert await spills.read(name) == "x"


async def test_a_spill_that_is_kept_again_is_young_again(spills: SpillFolder, tmp_path: Path) -> None:
    name = await spills.keep("x")
    os.utime(tmp_path / "spills" / name[:2] / name, (0, 0))
    await spills.keep("x")
    assert await spills.clean(set(), 30) == 0


async def test_a_disk_that_does_not_take_it_is_an_error_of_the_world(tmp_path: Path) -> None:
    (tmp_path / "spills").write_text("a file where a folder should be")
    with pytest.raises(WorldError) as raised:
        await SpillFolder(tmp_path / "spills").keep("x")
    assert raised.value.failure.kind == "disk"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
async def test_a_full_disk_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: str, flags: int, mode: int = 0o777) -> int:
        return real(path if not flags & os.O_CREAT else "/dev/full", flags & ~(os.O_CREAT | os.O_EXCL), mode)

    real = os.open
    monkeypatch.setattr(os, "open", full)  # tempfile opens its files with it; the disk below is a real full one
    with pytest.raises(WorldError) as raised:
        await SpillFolder(tmp_path / "spills").keep("x" * 100_000)
    assert "space" in raised.value.failure.detail
    assert await SpillFolder(tmp_path / "spills").read(sha256(b"x" * 100_000).hexdigest()) is None


@given(st.text(max_size=70))
def test_only_hexadecimal_digits_are_names(text: str) -> None:
    assert is_spill_name(text) == (12 <= len(text) <= 64 and all(sign in "0123456789abcdef" for sign in text))
