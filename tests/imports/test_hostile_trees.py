"""Messages that are linked as no program links them: all are imported, once, and soon."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest
from hostile_import import all_replies, import_here
from hostile_trees import LINKS, SHAPES, fan

from desktop_app.conversation.foreign import UnreadFile
from desktop_app.imports.formats import MAX_BRANCHES
from slowness import slowness
from stores import Store

SECONDS = 60
"""Of processor time."""


@pytest.mark.parametrize("links", LINKS)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_tree_of_any_links_is_imported(tmp_path: Path, shape: str, links: str) -> None:
    imported(tmp_path, shape, links, 60)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("links", ["a chain", "a chain that stands backwards", "a circle"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_tree_of_100_000_messages_is_imported(tmp_path: Path, shape: str, links: str) -> None:
    imported(tmp_path, shape, links, 100_000)


def imported(folder: Path, shape: str, links: str, count: int) -> None:
    """Import such a file twice: the second time nothing is new."""
    name, write = SHAPES[shape]
    (folder / name).write_text(write(LINKS[links](count)), encoding="utf-8")
    begun = time.process_time()
    with closing(Store(folder / "archive.sqlite3")) as store:
        for _ in range(2):
            assert import_here(folder / name, store) == (1, 0)
            (info,) = store.conversations()
        unique = len({link for link, _ in LINKS[links](count)})
        assert info.messages >= unique or links == "one id for all"
        assert info.messages <= len(LINKS[links](count))
    assert time.process_time() - begun < SECONDS * slowness()


@pytest.mark.long
def test_what_branches_off_without_end_is_told(tmp_path: Path) -> None:
    name, write = SHAPES["chatgpt"]
    (tmp_path / name).write_text(write(fan(MAX_BRANCHES + 3)))
    (told,) = (reply for reply in all_replies(tmp_path / name) if isinstance(reply, UnreadFile))
    assert (told.title, "10,000" in told.reason) == ("Tree", True)
