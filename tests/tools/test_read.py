"""`read`, and the outputs that are kept for it: lines of files, and whole texts named by their content."""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import stat
import time
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_calls import Desk

from desktop_app.chat.ports import WorldError
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.truncate import LINE_CUT, truncate_result
from desktop_app.tools import read_file
from desktop_app.tools.spill import SpillFolder
from desktop_app.tools.tool import ToolFailed
from texts import READ_ON


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"one\n\ntwo", ["1\tone", "2\t", "3\ttwo"]),
        (b"a\r\nb\r\n", ["1\ta", "2\tb"]),
        (b"\xef\xbb\xbfa\n", ["1\ta"]),
        ("\ufeffaé\nb".encode("utf-16-be"), ["1\taé", "2\tb", "[the file is utf-16-be]"]),
        ("ä\nb\n".encode("cp1252"), ["1\tä", "2\tb", "[not UTF-8: read as Windows-1252]"]),
        (b"", ["[a.txt is empty]"]),
    ],
)
async def test_lines_are_numbered_in_any_encoding(desk: Desk, content: bytes, lines: list[str]) -> None:
    desk.file("a.txt", content)
    assert (await desk.call("read", path="a.txt")).split("\n") == lines


async def test_a_part_says_where_it_goes_on(desk: Desk) -> None:
    desk.file("a.txt", "".join(f"line {n}\n" for n in range(1, 11)))
    said = await desk.call("read", path="a.txt", offset=3, limit=2)
    assert said == "3\tline 3\n4\tline 4\n" + READ_ON.format(first=3, last=4, lines=10, next=5)
    assert (await desk.call("read", path="a.txt", offset=10)).endswith("10\tline 10\n[lines 10 to 10 of 10]")
    assert "10 lines" in await desk.failure("read", path="a.txt", offset=11)


@pytest.mark.parametrize("content", ["word " * 40_000, "line\n" * 9_000, "a line of words\n" * 9_000])
async def test_what_is_read_is_never_truncated_and_comes_whole(desk: Desk, content: str) -> None:
    desk.file("a.txt", content)
    lines: list[str] = []
    offset = 1
    while offset:
        said = await desk.call("read", path="a.txt", offset=offset)
        assert truncate_result(said, "read", ContextPolicy()).spill is None
        *told, last = said.split("\n")
        offset = int(last.rpartition(" ")[2][:-1]) if "read on" in last else 0
        lines += [line.split("\t", 1)[1] for line in [*told, last] if "\t" in line]
    wanted = content.removesuffix("\n").split("\n")
    assert len(lines) == len(wanted)
    for line, want in zip(lines, wanted, strict=True):
        assert line == want or (line.startswith(want[:1_900]) and "truncated" in line)


async def test_a_spill_is_read_on_as_its_notice_says(desk: Desk) -> None:
    output = "".join(f"output line {n}\n" for n in range(1, 9_000))
    cut = truncate_result(output, "grep", ContextPolicy())
    name = await desk.spills.keep(output)
    assert cut.spill == name
    assert f'read {{"path": "{name}", "offset": {cut.first_cut_line}}}' in cut.text
    begin = f"{cut.first_cut_line}\toutput line {cut.first_cut_line}\n"
    assert (await desk.call("read", path=name, offset=cut.first_cut_line)).startswith(begin)
    assert (await desk.call("read", path=name[:12], offset=2, limit=1)).startswith("2\toutput line 2\n")
    assert await desk.needs("read", path=name) == ()
    assert "neither" in await desk.failure("read", path="0" * 64)
    desk.file(name[:12], "mine")
    assert await desk.call("read", path=name[:12]) == "1\tmine", "a file of that name comes first"


async def test_what_cannot_be_read_says_what_to_do(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.file("program", b"\x7fELF\0\0\0")
    desk.file("picture.png", b"\x89PNG\r\n\x1a\n\0\0")
    desk.file("settings.toml", "x")
    os.mkfifo(desk.folder / "pipe")
    for path, words in {
        "program": "binary",
        "picture.png": "attach",
        ".": "list",
        "pipe": "not a regular file",
        "setings.toml": "settings.toml",
        "nowhere/x": "folder",
        "a\0b": "NUL",
        "a/" * 500_000: "A path of 1,000,000 characters cannot be opened",
        "x" * 5_000: "",
    }.items():
        assert words in await desk.failure("read", path=path)
    assert not [path for path in open_paths() if path.startswith(str(desk.folder))], "nothing is left open"
    monkeypatch.setattr(read_file, "MAX_FILE", 0)
    assert "grep" in await desk.failure("read", path="settings.toml")


def open_paths() -> list[str]:
    return [os.path.realpath(f"/proc/self/fd/{number}") for number in range(3, 100)]


async def test_reading_requires_permission_outside_and_for_secrets(desk: Desk) -> None:
    outside = desk.outside("a.txt", "x").parent
    (desk.folder / "link").symlink_to(outside)
    desk.file("inside.txt", "x")
    desk.file(".env", "KEY=1")
    assert await desk.needs("read", path="inside.txt") == ()
    for path in ("../outside/a.txt", "link/a.txt", str(outside / "a.txt")):
        [need] = await desk.needs("read", path=path)
        assert (need.kind, need.target, need.suggestion) == ("read", str(outside / "a.txt"), f"{outside}/*")
    for path in (".env", str(desk.data / "archive.sqlite3"), "~/.ssh/id_rsa"):
        [need] = await desk.needs("read", path=path)
        assert need.suggestion == ""
    for name, more in {"list": {}, "glob": {"pattern": "*"}, "grep": {"pattern": "x"}}.items():
        assert await desk.needs(name, **more) == ()
        [need] = await desk.needs(name, path="/etc", **more)
        assert (need.tool, need.kind, need.suggestion) == (name, "read", "/etc/*")
    [need] = await desk.needs("list", path="..")
    assert need.suggestion == "", "our data lie below it"


LINES = st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=5), max_size=12)


@given(LINES, st.booleans(), st.integers(1, 14), st.integers(1, 5))
def test_every_part_is_that_of_the_whole(lines: list[str], has_end: bool, offset: int, limit: int) -> None:
    text = "\n".join(lines) + ("\n" if lines and (has_end or not lines[-1]) else "")
    wanted = [f"{n}\t{line}" for n, line in enumerate(lines, 1)][offset - 1 : offset - 1 + limit]
    if wanted or not lines:
        found = read_file.window_of(text.encode(), "it", offset, limit).split("\n")
        assert found[: len(wanted)] == wanted
        assert f"{offset} to {offset + len(wanted) - 1} of {len(lines)}" in found[-1] or len(wanted) == len(lines)
    else:
        with pytest.raises(ToolFailed, match=f"has {len(lines)} line"):
            read_file.window_of(text.encode(), "it", offset, limit)


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


async def test_a_text_that_is_one_line_is_read_to_its_end_as_the_notices_say(desk: Desk) -> None:
    text = "".join(f"word{n} é " for n in range(14_000))
    cut = truncate_result(text, "read", ContextPolicy())
    name = await desk.spills.keep(text)
    shown = cut.text.split(LINE_CUT)[0]
    assert shown
    arguments = json.loads(re.search(r"to go on: read (\{[^}]*\})", cut.text)[1])
    calls = 0
    while arguments:
        said = await desk.call("read", **arguments)
        calls += 1
        assert truncate_result(said, "read", ContextPolicy()).spill is None
        *told, last = said.split("\n")
        shown += "".join(line.split("\t", 1)[1] for line in told)
        on = re.search(r"read on with character ([\d]+)", last)
        arguments = {"path": name, "offset": 1, "character": int(on[1])} if on else None
    assert shown == text
    assert calls < 6, "a page is not a line of 2,000 characters"


async def test_the_rest_of_a_long_line_in_a_file_is_read_by_its_character(desk: Desk) -> None:
    desk.file("a.json", "first\n" + "x" * 1_900 + "needle" + "y" * 3_000 + "\nlast")
    said = await desk.call("read", path="a.json")
    assert "character 1901" in said
    rest = await desk.call("read", path="a.json", offset=2, character=1_901)
    assert rest.startswith("1901\tneedley")
    assert rest.count("y") >= 3_000
    assert "offset 3" in rest.split("\n")[-1], "the lines behind it follow"
    assert "4,906" in await desk.failure("read", path="a.json", offset=2, character=4_907)
    assert "no line 4" in await desk.failure("read", path="a.json", offset=4, character=2)
