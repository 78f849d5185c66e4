"""Files of any name: each tool finds, reads and writes the right one, and shows no control character of its name."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from tool_calls import Desk

from hostile_names import NAMES, raw_controls

pytestmark = [pytest.mark.skipif(os.name == "nt", reason="names of Linux"), pytest.mark.wire]


@pytest.fixture
def full(desk: Desk) -> Desk:
    """A desk with a file of each name, whose content says which it is."""
    for what, name in NAMES.items():
        (desk.folder / name).write_text(f"needle in {what}\n")
    return desk


def unchanged(desk: Desk, but: str = "") -> bool:
    """Whether all files but one are as they were, and there is no other."""
    assert sorted(os.listdir(desk.folder)) == sorted(NAMES.values())
    others = {what: name for what, name in NAMES.items() if what != but}
    return all((desk.folder / name).read_text() == f"needle in {what}\n" for what, name in others.items())


async def test_each_file_is_one_line_of_a_list_and_of_what_glob_finds(full: Desk) -> None:
    for text in (await full.call("list", path="."), await full.call("glob", pattern="*")):
        assert len(text.split("\n")) == len(NAMES)
        assert raw_controls(text) == []


async def test_grep_finds_each_once_under_one_line_of_its_name(full: Desk) -> None:
    text = await full.call("grep", pattern="needle in .*")
    assert raw_controls(text) == []
    lines = text.split("\n")
    found = [line.removeprefix("1: needle in ") for line in lines if line.startswith("1: needle in ")]
    assert sorted(found) == sorted(NAMES)
    assert len(lines) == 3 * len(NAMES), "a name, a line of it and a blank or the end"


@pytest.mark.parametrize("what", NAMES)
async def test_the_right_file_is_read_edited_written_and_searched(full: Desk, what: str) -> None:
    name = NAMES[what]
    path = name if name != "~root" else "./~root"
    assert f"needle in {what}" in (text := await full.call("read", path=path))
    assert raw_controls(text) == []
    assert (await full.call("grep", pattern="needle", path=path)).endswith(f"1: needle in {what}\n[1 line in 1 file]")
    shown = await full.call("edit", path=path, old_text="needle", new_text="thread")
    assert raw_controls(shown) == []
    assert (full.folder / name).read_text() == f"thread in {what}\n"
    shown = await full.call("write", path=path, content="all anew")
    assert raw_controls(shown) == []
    assert (full.folder / name).read_text() == "all anew"
    assert unchanged(full, but=what)


@pytest.mark.parametrize("what", NAMES)
async def test_what_is_not_there_is_said_without_control_characters(full: Desk, what: str) -> None:
    name = NAMES[what]
    (full.folder / name).unlink()
    (full.folder / (name[:-1] + "~" if len(name) > 1 else "~~")).write_text("alike")
    path = name if name != "~root" else "./~root"
    for tool, more in (
        ("read", {}),
        ("list", {}),
        ("edit", {"old_text": "a", "new_text": "b"}),
        ("grep", {"pattern": "a"}),
    ):
        assert raw_controls(await full.failure(tool, path=path, **more)) == [], tool


async def test_commands_get_the_names_as_they_are(full: Desk) -> None:
    text = await full.call("bash", command='for f in ./* ./.[!.]* ./..?*; do [ -f "$f" ] && cat "$f"; done; ls -a')
    assert text.count("needle in ") == len(NAMES)
    assert [character for character in raw_controls(text) if 0xD800 <= ord(character) < 0xE000] == []
    for what, name in NAMES.items():
        if name.isprintable():
            assert f"needle in {what}" in await full.call("bash", command=f"cat -- {shlex.quote(name)}")
    assert unchanged(full)


async def test_links_are_shown_without_control_characters(desk: Desk, tmp_path: Path) -> None:
    for number, name in enumerate(NAMES.values()):
        (desk.folder / f"link{number}").symlink_to(tmp_path / name)
    text = await desk.call("list", path=".")
    assert raw_controls(text) == []
    assert len(text.split("\n")) == len(NAMES)


@pytest.mark.parametrize("content", [b"a\0b", None], ids=["binary", "pipe"])
async def test_what_cannot_be_read_is_named_without_control_characters(desk: Desk, content: bytes | None) -> None:
    for name in NAMES.values():
        path = desk.folder / name
        path.write_bytes(content) if content is not None else os.mkfifo(path)
        assert raw_controls(await desk.failure("read", path=f"./{name}")) == []
