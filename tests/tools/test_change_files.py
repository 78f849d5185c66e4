"""`write` and `edit`: files are replaced atomically, and keep what was not to be changed."""

from __future__ import annotations

import asyncio
import os
import resource
import stat
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tool_calls import Desk, steady_loop

from desktop_app.conversation.tools import ChangePreview, RequiredPermission, ToolContext
from desktop_app.tools import change_files
from desktop_app.tools.change_files import decode_text, diff_of, find_places, preview_of


async def test_a_file_is_made_with_its_folders_and_replaced(desk: Desk) -> None:
    said = await desk.call("write", path="a/b/c.txt", content="one\ntwo")
    assert "Created a/b/c.txt: 2 lines, 7 bytes" in said
    desk.file("theirs", "x")
    path = desk.folder / "a/b/c.txt"
    assert path.stat().st_mode == (desk.folder / "theirs").stat().st_mode, "like others that the user makes"
    os.chmod(path, 0o751)
    assert "Replaced a/b/c.txt: 0 lines" in await desk.call("write", path="a/b/c.txt", content="")
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert os.listdir(desk.folder / "a/b") == ["c.txt"], "nothing is left beside it"


async def test_a_file_keeps_its_owner_group_and_attributes(desk: Desk) -> None:
    path = desk.file("a.txt", "x")
    try:
        os.chown(path, 12_345 if os.geteuid() == 0 else -1, [*os.getgroups(), os.getegid()][0])
        os.setxattr(path, "user.mark", b"kept")
    except OSError as error:
        pytest.skip(f"not on this file system: {error}")
    os.chmod(path, 0o640)
    os.utime(path, (1, 1))
    before = path.stat()
    await desk.call("edit", path="a.txt", old_text="x", new_text="y")
    after = path.stat()
    assert (after.st_uid, after.st_gid, after.st_mode) == (before.st_uid, before.st_gid, before.st_mode)
    assert os.getxattr(path, "user.mark") == b"kept"
    assert after.st_mtime > 1, "it was changed just now"


async def test_a_disk_that_is_full_leaves_the_old_file(desk: Desk) -> None:
    path = desk.file("a.txt", "old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))  # the system refuses to write more, as a full disk
    try:
        said = await desk.failure("write", path="a.txt", content="x" * 50_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert said == f"File too large: {path}"
    assert path.read_text() == "old"
    assert os.listdir(desk.folder) == ["a.txt"], "nothing is left beside it"


async def test_what_cannot_be_written_is_said(desk: Desk) -> None:
    desk.file("file", "x")
    os.mkfifo(desk.folder / "pipe")
    assert "folder" in await desk.failure("write", path=".", content="x")
    assert "not a regular file" in await desk.failure("write", path="pipe", content="x")
    assert "file" in await desk.failure("write", path="file/below", content="x")
    assert "surrogate" in await desk.failure("write", path="a", content="\ud800")
    assert (desk.folder / "file").read_text() == "x"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
async def test_a_write_protected_file_is_not_replaced(desk: Desk) -> None:
    os.chmod(desk.file("a.txt", "x"), 0o444)
    assert "write-protected" in await desk.failure("write", path="a.txt", content="y")


async def test_writing_always_requires_permission_and_for_what_starts_programs_each_time(desk: Desk) -> None:
    [need] = await desk.needs("write", path="a/../b.txt", content="")
    assert (need.kind, need.target, need.suggestion) == ("write", str(desk.folder / "b.txt"), f"{desk.folder}/*")
    starting = (".git/hooks/pre-commit", ".GIT/config", ".husky/pre-push", "a/.vscode/tasks.json")
    outside = ("~/.bashrc", "~/.config/git/config", "~/Library/LaunchAgents/x.plist", str(desk.folder.parent / ".x/y"))
    for path in (*starting, *outside, ".env", str(desk.data).upper() + "/x"):
        [need] = await desk.needs("edit", path=path, old_text="x", new_text="y")
        assert need.suggestion == "", path
    for path in (".gitignore", ".github/workflows/x.yml"):
        [need] = await desk.needs("edit", path=path, old_text="x", new_text="y")
        assert need.suggestion.startswith(f"{desk.folder}/"), path
    desk.context = ToolContext("one", str(desk.file(".worktrees/a/x", "").parent))
    [need] = await desk.needs("write", path="b.txt", content="")
    assert need.suggestion == f"{desk.folder}/.worktrees/a/*", "where the working folder lies itself does not matter"
    desk.context = ToolContext("one", str(Path.home()))
    [need] = await desk.needs("write", path=".profile", content="")
    assert need.suggestion == "", "a home is no project"


async def test_an_edit_shows_what_it_did(desk: Desk) -> None:
    desk.file("a.py", "one\ntwo\nthree\nfour\nfive\nsix\n")
    assert (await desk.call("edit", path="a.py", old_text="four", new_text="4\n4b")).split("\n")[1:] == (
        ["@@ line 4 @@", " two", " three", "-four", "+4", "+4b", " five", " six"]
    )
    assert (desk.folder / "a.py").read_text() == "one\ntwo\nthree\n4\n4b\nfive\nsix\n"
    said = await desk.call("edit", path="a.py", old_text="two\nthree\n4", new_text="two\n3\n4")
    assert said.split("\n")[2:7] == [" one", " two", "-three", "+3", " 4"]
    desk.file("b.py", "x\n" * 500)
    said = await desk.call("edit", path="b.py", old_text="x\n", new_text="y" * 1_000 + "\n", replace_all=True)
    assert "500 places" in said
    assert len(said) < 3_000


@pytest.mark.parametrize(
    ("content", "old", "new", "wanted"),
    [
        (b"a\r\nb\r\n", "a\nb", "c\nd", b"c\r\nd\r\n"),
        (b"a\r\nb\r\n", "b", "c\nd", b"a\r\nc\r\nd\r\n"),
        (b"a\nb\r\nc", "b", "c\nd", b"a\nc\nd\r\nc"),
        (b"\xef\xbb\xbfa", "a", "b", b"\xef\xbb\xbfb"),
        ("\ufeffaé".encode("utf-16-le"), "é", "ß", "\ufeffaß".encode("utf-16-le")),
        (b"caf\xe9 x", "x", "é", b"caf\xe9 \xe9"),
        (b"\x81\xff x", "x", "y", b"\x81\xff y"),
    ],
)
async def test_line_ends_marks_and_encodings_stay(
    desk: Desk, content: bytes, old: str, new: str, wanted: bytes
) -> None:
    path, link = desk.file("a.txt", content), desk.folder / "link.txt"
    link.symlink_to("a.txt")
    await desk.call("edit", path="link.txt", old_text=old, new_text=new)
    assert path.read_bytes() == wanted
    assert link.is_symlink()


@pytest.mark.parametrize(
    ("path", "old", "new", "words"),
    [
        ("a.txt", "x = 1", "y", "2 times in the file (lines 1, 4)"),
        ("a.txt", "  if a:\n    b", "y", "Lines 2 to 3"),
        ("a.txt", "if a:\n c", "y", "first line occurs at line 2"),
        ("a.txt", "nowhere", "y", "Read the file again"),
        ("a.txt", "x", "x", "the same"),
        ("b.txt", "a", "b", "write"),
        (".", "a", "b", "folder"),
        ("latin.txt", "caf", "咖啡", "cp1252"),
        ("large.txt", "x", "y", "limit is 1,000"),
    ],
)
async def test_an_edit_that_is_not_clear_changes_nothing(
    desk: Desk, path: str, old: str, new: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_files, "MAX_EDITED", 1_000)
    desk.file("large.txt", "x" * 1_001)
    file = desk.file("a.txt", "x = 1\n\tif a:\n\t\tb\nx = 1\n")
    desk.file("latin.txt", b"caf\xe9")
    assert words in await desk.failure("edit", path=path, old_text=old, new_text=new)
    assert file.read_text() == "x = 1\n\tif a:\n\t\tb\nx = 1\n"


async def test_edits_of_one_file_at_the_same_time_all_happen(desk: Desk) -> None:
    desk.file("a.txt", "".join(f"<{n}>\n" for n in range(20)))
    edits = (desk.call("edit", path="a.txt", old_text=f"<{n}>", new_text=f"({n})") for n in range(20))
    await asyncio.gather(*edits)
    assert (desk.folder / "a.txt").read_text() == "".join(f"({n})\n" for n in range(20))


async def test_a_stopped_edit_is_over_before_the_next_one_begins(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread cannot be stopped: on a slow disk it goes on, and would put its old file over the next one's."""
    path = desk.file("a.txt", "a b")
    is_asked, goes_on = threading.Event(), threading.Event()
    replace_file = change_files.replace_file

    def slowly(file: Path, content: bytes) -> None:
        is_asked.set()
        goes_on.wait(10)
        replace_file(file, content)

    monkeypatch.setattr(change_files, "replace_file", slowly)
    first = asyncio.ensure_future(desk.call("edit", path="a.txt", old_text="a", new_text="A"))
    await asyncio.to_thread(is_asked.wait, 10)
    first.cancel()
    await asyncio.wait({first}, timeout=5)
    assert first.cancelled(), "the stop does not wait for the disk"
    second = asyncio.ensure_future(desk.call("edit", path="a.txt", old_text="b", new_text="B"))
    await asyncio.sleep(0.1)
    goes_on.set()
    await second
    assert path.read_text() == "A B"


TEXTS = st.text(st.sampled_from("ab\n é\u2028😀"), max_size=30)


@given(TEXTS, TEXTS.filter(bool), TEXTS, st.booleans())
async def test_an_edit_is_a_replacement(text: str, old: str, new: str, is_all: bool) -> None:
    with TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        path = desk.file("a.txt", text)
        call = {"path": "a.txt", "old_text": old, "new_text": new, "replace_all": is_all}
        count = text.count(old)
        if old != new and (count == 1 or (is_all and count)):
            await desk.call("edit", **call)
            places = find_places(text, old, is_all)
            assert len(places) == count
            assert diff_of(text, places, old, new).count("@@ line") == min(count, 3)
            text = text.replace(old, new)
        else:
            await desk.failure("edit", **call)
        assert path.read_bytes().decode() == text


@given(st.binary(max_size=40))
def test_every_file_comes_back_as_the_bytes_that_it_had(content: bytes) -> None:
    file = decode_text(content)
    assert file.replaced([], "", "") == content


def shown(preview: ChangePreview) -> list[str]:
    return [f"{line.number} {line.sign}{line.text}" for line in preview.lines]


async def test_a_preview_shows_the_lines_of_the_file_by_their_numbers(desk: Desk) -> None:
    desk.file("a.py", "".join(f"line {n}\n" for n in range(1, 21)))
    edit = await desk.preview("edit", path="a.py", old_text="line 10\n", new_text="ten\nand a half\n")
    around = [f"{n}  line {n}" for n in (7, 8, 9)]
    behind = [f"{n}  line {n - 1}" for n in (12, 13, 14)]
    assert shown(edit) == [*around, "10 -line 10", "10 +ten", "11 +and a half", *behind]
    assert edit.note == ""
    twice = "".join(f"line {n}\n" for n in range(1, 21) if n not in (2, 18))
    write = shown(await desk.preview("write", path="a.py", content=twice))
    assert [line for line in write if line[line.index(" ") + 1] != " "] == ["2 -line 2", "18 -line 18"]
    assert write.count("0  ") == 1, "what is left out between two places"
    assert (desk.folder / "a.py").read_text().startswith("line 1\nline 2\n"), "nothing was changed"


async def test_a_preview_of_a_new_file_shows_what_is_added(desk: Desk) -> None:
    preview = await desk.preview("write", path="new/b.txt", content="one\ntwo\n")
    assert (shown(preview), preview.note) == (["1 +one", "2 +two"], "new")
    long = await desk.preview("write", path="b.txt", content="x\n" * 1_000)
    assert len(long.lines) + long.more == 1_000
    assert 0 < long.more < 1_000


@pytest.mark.parametrize(
    ("content", "name", "arguments", "note"),
    [
        (b"one\n", "edit", {"old_text": "two", "new_text": "2"}, "not_found"),
        (b"one\none\n", "edit", {"old_text": "one", "new_text": "1"}, "ambiguous"),
        (b"one\0\n", "edit", {"old_text": "one", "new_text": "1"}, "unreadable"),
        (b"one\0\n", "write", {"content": "1"}, "unreadable"),
        (b"x" * 6_000_000, "write", {"content": "1"}, "unreadable"),
        (b"one\n", "write", {"content": "one\n"}, "same"),
        (b"one\r\n", "write", {"content": "one\n"}, "line_ends"),
        (b"one\n", "write", {"content": "one"}, "line_ends"),
        (None, "edit", {"old_text": "one", "new_text": "1"}, "missing"),
    ],
)
async def test_what_cannot_be_previewed_is_said(
    desk: Desk, content: bytes | None, name: str, arguments: dict[str, str], note: str
) -> None:
    if content is not None:
        desk.file("a.txt", content)
    preview = await desk.preview(name, path="a.txt", **arguments)
    assert (shown(preview), preview.note) == ([], note)


async def test_a_folder_and_a_pipe_are_not_previewed(desk: Desk) -> None:
    assert (await desk.preview("write", path=".", content="1")).note == "folder"
    if hasattr(os, "mkfifo"):
        os.mkfifo(desk.folder / "pipe")
        assert (await desk.preview("write", path="pipe", content="1")).note == "unreadable"


async def test_a_file_that_needs_permission_to_be_read_is_not_looked_at(desk: Desk) -> None:
    path = str(desk.outside("a.txt", "one\n"))
    desk.file(".env", "KEY=1\n")
    os.symlink(path, desk.folder / "link.txt")
    for name in (path, ".env", "link.txt", str(Path(path).with_name("none.txt"))):
        for tool, arguments in (("write", {"content": "2\n"}), ("edit", {"old_text": "one", "new_text": "2"})):
            refused = await desk.preview(tool, path=name, **arguments)
            assert (shown(refused), refused.note) == ([], "private"), name
    asked: list[RequiredPermission] = []
    seen = await desk.preview("write", asked, path=path, content="2\n")
    assert shown(seen) == ["1 -one", "1 +2"]
    assert [(need.tool, need.kind, need.target) for need in asked] == [("read", "read", path)]


@settings(max_examples=100, deadline=None)
@given(st.text("ab\n", max_size=40), st.text("ab\n", max_size=40), st.sampled_from((2, 2_000)))
def test_a_preview_leads_from_one_text_to_the_other(before: str, after: str, compared: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(change_files, "MAX_COMPARED", compared)
        lines = preview_of(before, after).lines
    old, new = (text.removesuffix("\n").split("\n") if text else [] for text in (before, after))
    assert all((old if line.sign == "-" else new)[line.number - 1] == line.text for line in lines if line.number)
    removed = {line.number - 1 for line in lines if line.sign == "-"}
    added = {line.number - 1 for line in lines if line.sign == "+"}
    stay = [text for n, text in enumerate(old) if n not in removed]
    assert stay == [text for n, text in enumerate(new) if n not in added]
    positions = [line.number for line in lines if line.sign != "-" and line.number]
    assert positions == sorted(set(positions)), "each line once, in order"


@pytest.mark.long
async def test_a_preview_of_a_large_file_does_not_hold_the_loop(desk: Desk) -> None:
    desk.file("a.txt", "one\ntwo\n" * 500_000)
    async with steady_loop():
        await desk.preview("edit", path="a.txt", old_text="one\n", new_text="1\n", replace_all=True)
        await desk.preview("write", path="a.txt", content="two\none\none\n" * 300_000)
