"""What servers told last outlives the engine, and a file that is damaged is as good as none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from desktop_app.conversation.gauge import Provenance
from desktop_app.models.catalogue import LastKnown, LastKnownFile
from desktop_app.models.published import ModelCapabilities

KEY = ("home", "http://127.0.0.1:1/v1", "big")
LAST = LastKnown(ModelCapabilities(64_000, supports_tools=True), Provenance.MEASURED, 1_795_363_349.8)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    kept = LastKnownFile(tmp_path / "models.json")
    assert kept.update(KEY, LAST)
    assert not kept.update(KEY, LAST), "nothing new"
    kept.write()
    assert os.name != "posix" or (tmp_path / "models.json").stat().st_mode & 0o777 == 0o600
    again = LastKnownFile(tmp_path / "models.json")
    again.read()
    assert again.get(KEY) == LAST
    assert again.get(("home", "http://127.0.0.1:2/v1", "big")) is None


@pytest.mark.parametrize("content", [b"", b"[", b"{}", b"\xff", b'[{"server": 1}]', b"[" * 200_000])
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "models.json").write_bytes(content)
    kept = LastKnownFile(tmp_path / "models.json")
    kept.read()
    assert kept.get(KEY) is None
    kept.update(KEY, LAST)
    kept.write()
    kept.read()
    assert kept.get(KEY) == LAST


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    kept = LastKnownFile(tmp_path / "file" / "models.json")
    kept.update(KEY, LAST)
    kept.write()
    assert kept.get(KEY) == LAST


def test_a_file_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    told = '{"window": 64000, "has_tools": true, "has_eyes": false}'
    entry = f'{{"server": "home", "address": "{KEY[1]}", "model": "big", "last": {{"told": {told}, "basis": "measured"'
    (tmp_path / "models.json").write_text(f'[{entry}, "at": 1795363349.8}}}}]')
    kept = LastKnownFile(tmp_path / "models.json")
    kept.read()
    assert kept.get(KEY) == LastKnown(ModelCapabilities(64_000, 0, True, False), Provenance.MEASURED, LAST.at)
