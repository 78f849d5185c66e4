"""`palimpsest data`: what is listed, what is only said, and what is removed."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from builders import user
from desktop_app.__main__ import main
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.paths import database_file
from stores import Store
from texts import STILL_IN, TO_BE_ERASED


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with one conversation, a deleted one, a backup of both, and an older log."""
    folder = tmp_path / "data"
    with closing(Store(database_file(folder))) as store:
        for name in ("tea", "gone"):
            said = user("word " * 9_000, id=f"m-{name}")
            store.create(ConversationInfo(name, name.title(), 1.0, 1.0), [said])
        store.change("gone", is_deleted=True)
    assert main(["backup", "--data-dir", str(folder)]) == 0
    (folder / "palimpsest.log.1").write_text("x" * 100)
    return folder


def told(capsys: pytest.CaptureFixture[str], data: Path, *arguments: str, code: int = 0) -> str:
    capsys.readouterr()
    assert main(["data", "--data-dir", str(data), *arguments]) == code
    return "".join(capsys.readouterr())


def test_it_lists_what_there_is(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = told(capsys, data)
    for words in ("archive.sqlite3", "conversation:gone", "Gone, 1 message", "log:palimpsest.log.1", "backup:archive-"):
        assert words in shown
    assert "conversation:tea" not in shown
    listed = json.loads(told(capsys, data, "--json"))
    assert listed["bytes"] == sum(part["size"] for part in listed["parts"])


def test_without_yes_nothing_is_removed(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = told(capsys, data, "--remove", "conversation", "log")
    assert TO_BE_ERASED.format(count="1 conversation") in shown
    assert STILL_IN.format(key="conversation:gone", copies="backup:archive-") in shown
    assert "Nothing was removed" in shown
    assert "conversation:gone" in told(capsys, data)


def test_with_yes_it_is_and_only_that(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = json.loads(told(capsys, data, "--remove", "conversation:gone", "log", "--yes", "--json"))
    assert done["removed"] == 2
    assert done["freed"] > 40_000
    left = told(capsys, data)
    assert "conversation:gone" not in left
    assert "palimpsest.log.1" not in left
    assert "backup:archive-" in left
    with closing(Store(database_file(data), read_only=True)) as store:
        assert [info.id for info in store.conversations()] == ["tea"]


def test_a_wrong_name_removes_nothing(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = told(capsys, data, "--remove", "log", "conversation:tea", "--yes", code=2)
    assert "conversation:tea" in shown
    assert (data / "palimpsest.log.1").exists()


@pytest.mark.wire
def test_it_waits_for_no_window(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(Store(database_file(data))):
        assert "conversation:gone" in told(capsys, data)
        assert "already open" in told(capsys, data, "--remove", "conversation", "--yes", code=1)


def test_an_empty_folder_has_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "0 bytes" in told(capsys, tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
