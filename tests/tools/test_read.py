"""`read`: lines of files, and of outputs that were truncated."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_calls import Desk

from desktop_app.context.policy import ContextPolicy
from desktop_app.context.truncate import truncate_result
from desktop_app.tools import read_file
from desktop_app.tools.tool import ToolFailed


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
    assert said == "3\tline 3\n4\tline 4\n[lines 3 to 4 of 10; read on with offset 5]"
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
