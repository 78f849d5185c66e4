"""Completing the names of files below a working folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.tools.list_folder import FileNames, best_paths

PATHS = ("src/ledger.py", "src/old/ledger_test.py", "docs/my-ledger.md", "ledger/notes.txt", "src/big_edge.rs")


def test_names_that_begin_with_it_come_first_then_names_then_paths_then_letters_in_their_order() -> None:
    assert best_paths(PATHS, "Ledger", 9) == (
        "src/ledger.py",
        "src/old/ledger_test.py",
        "docs/my-ledger.md",
        "ledger/notes.txt",
    )
    assert best_paths(PATHS, "bigrs", 9) == ("src/big_edge.rs",)
    assert best_paths(PATHS, "ledger", 2) == PATHS[:2]
    assert best_paths(PATHS, "q", 9) == ()


@given(st.lists(st.text("aB/.*[é", max_size=12), max_size=12), st.text("aB/.*[é", max_size=4), st.integers(0, 5))
def test_what_is_found_has_the_letters_in_their_order(paths: list[str], query: str, limit: int) -> None:
    found = best_paths(paths, query, limit)
    assert len(found) <= limit
    for path in found:
        letters = iter(path.lower())
        assert path in paths
        assert all(letter in letters for letter in query.lower())


@pytest.mark.wire
async def test_the_folder_is_listed_as_the_tools_see_it(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("build/\n")
    for name in ("build/out.py", "src/out.py", ".git/out.py"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("")
    names = FileNames()
    assert await names.matching(str(tmp_path), "out", 9) == ("src/out.py",)
    other = tmp_path / "src"
    assert await names.matching(str(other), "", 9) == ("out.py",)
    with pytest.raises(OSError, match="gone"):
        await names.matching(str(tmp_path / "gone"), "", 9)
