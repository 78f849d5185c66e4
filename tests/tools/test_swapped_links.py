"""Paths that lead elsewhere by the time of a call: somebody swaps a folder for a link while tools work in it."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tool_calls import Desk

from desktop_app.conversation.message import ToolCall
from desktop_app.conversation.tools import ToolOutcome
from desktop_app.tools.change_files import replace_file
from desktop_app.tools.path_policy import open_file, open_folder

ASKED = {
    "read": {"path": "place/a.txt"},
    "list": {"path": "place"},
    "grep": {"pattern": "word", "path": "place"},
    "edit": {"path": "place/a.txt", "old_text": "word", "new_text": "changed word"},
    "write": {"path": "place/made.txt", "content": "made"},
}


@contextmanager
def swapping(place: Path, theirs: Path) -> Iterator[None]:
    """A thread that puts a link in the place of a folder, and the folder back, until it is left."""
    aside, is_over = place.with_name("aside"), threading.Event()

    def swap() -> None:
        for _ in itertools.takewhile(lambda _: not is_over.is_set(), range(1_000_000)):
            with suppress(OSError):  # `write` makes a folder where there is none at that moment
                place.rename(aside)
                place.symlink_to(theirs)
            while aside.exists():
                with suppress(OSError):
                    place.unlink() if place.is_symlink() else shutil.rmtree(place, ignore_errors=True)
                    aside.rename(place)

    thread = threading.Thread(target=swap, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join(10)


async def asked_and_run(desk: Desk, name: str) -> str:
    """What a call tells, if all that it needs is the user's word for what is in the folder; else nothing."""
    call = ToolCall("1", name, json.dumps(ASKED[name]))
    needs = await desk.tools.needs(call, desk.context)
    if any("outside" in need.target for need in needs):
        return ""  # the user would say no
    pieces = [piece async for piece in desk.tools.run(call, desk.context)]
    return "".join(piece.text if isinstance(piece, ToolOutcome) else piece for piece in pieces)


@pytest.mark.parametrize("calls", [15, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ASKED)
@pytest.mark.long
async def test_a_link_that_is_swapped_after_the_check_is_never_followed(desk: Desk, name: str, calls: int) -> None:
    """Counts the calls that have shown or changed what lies behind the link."""
    theirs = desk.outside("a.txt", "their word\n").parent
    desk.file("place/a.txt", "our word\n")
    followed = 0
    with swapping(desk.folder / "place", theirs):
        for _ in range(calls):
            desk.outside("a.txt", "their word\n")
            desk.outside("theirs.txt", "their word\n")
            said = await asked_and_run(desk, name)
            is_changed = (theirs / "a.txt").read_text() != "their word\n" or (theirs / "made.txt").exists()
            followed += is_changed or "their" in said
            (theirs / "made.txt").unlink(missing_ok=True)
    assert followed == 0


def test_no_name_on_the_way_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "real" / "deep" / "a.txt").write_text("x")
    (tmp_path / "link").symlink_to("real")
    os.close(open_file(tmp_path / "real" / "deep" / "a.txt", os.O_RDONLY))
    for path in (tmp_path / "link" / "deep" / "a.txt", tmp_path / "link"):
        with pytest.raises(OSError, match=r"irectory|symbolic"):
            os.close(open_file(path, os.O_RDONLY))
    with pytest.raises(OSError, match=r"irectory|symbolic"):
        replace_file(tmp_path / "link" / "new" / "b.txt", b"x")
    assert not (tmp_path / "real" / "new").exists()


def test_a_folder_that_may_be_entered_need_not_be_readable(tmp_path: Path) -> None:
    (tmp_path / "shut" / "in").mkdir(parents=True)
    (tmp_path / "shut").chmod(0o311)
    with open_folder(tmp_path / "shut" / "in", is_listed=True) as handle:
        assert handle is None or os.listdir(handle) == []
