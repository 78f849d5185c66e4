"""`palimpsest export`: a conversation to a file or to standard output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

CHAT = [{"role": "user", "content": "Split the *ledger*"}, {"role": "assistant", "content": "Done."}]


@pytest.fixture
def imported(data: Path, chat_file, report) -> str:
    (made,) = report("import", chat_file(CHAT), "--data-dir", data)["conversations"]
    return made["id"]


def test_without_a_name_it_lists_what_there_is(data: Path, imported: str, report, printed) -> None:
    (listed,) = report("export", "--data-dir", data)["conversations"]
    assert listed == {"id": imported, "title": "Split the ledger", "messages": 2}
    assert imported in printed("export", "--data-dir", data)


@pytest.mark.parametrize(("suffix", "words"), [("md", "*\n\nSplit the *ledger*\n"), ("html", "<em>ledger</em>")])
def test_the_suffix_chooses_the_format(
    data: Path, imported: str, report, tmp_path: Path, suffix: str, words: str
) -> None:
    file = tmp_path / f"out.{suffix}"
    assert report("export", imported[:8], file, "--data-dir", data)["bytes"] == file.stat().st_size
    assert words in file.read_text()


def test_standard_output_and_a_title_for_a_name(data: Path, imported: str, printed) -> None:
    lines = printed("export", "Split the ledger", "--format", "json", "--view", "--data-dir", data).splitlines()
    assert [json.loads(line) for line in lines] == CHAT


def test_a_file_that_is_there_stays_unless_it_is_to_be_replaced(data: Path, imported: str, printed, tmp_path) -> None:
    file = tmp_path / "out.md"
    file.write_text("mine")
    printed("export", imported, file, "--data-dir", data, code=1)
    assert file.read_text() == "mine"
    printed("export", imported, file, "--replace", "--data-dir", data)
    assert file.read_text() != "mine"


def test_an_unknown_name_is_bad_input(data: Path, imported: str, printed) -> None:
    assert "nowhere" in printed("export", "nowhere", "--data-dir", data, code=2)


def test_formulas_of_a_page_are_drawn_and_keep_their_source(data: Path, chat_file, report, tmp_path: Path) -> None:
    said = [
        {"role": "user", "content": r"Why is \(\frac{1}{2}\) less?"},
        {"role": "assistant", "content": "- [x] $$\\pi$$"},
    ]
    (made,) = report("import", chat_file(said), "--data-dir", data)["conversations"]
    file = tmp_path / "out.html"
    assert report("export", made["id"], file, "--data-dir", data)["notes"] == []
    page = file.read_text()
    assert page.count('src="data:image/svg+xml;base64,') == 2
    assert r"$\frac{1}{2}$" in page
    assert r"$$\pi$$" in page
    assert "☑" in page
