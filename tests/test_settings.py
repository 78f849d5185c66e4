"""Settings: read, written in one step, and set aside when they are damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.settings import Server, Settings, SettingsDamaged, read_settings, write_settings


def test_settings_come_back_as_they_were(tmp_path: Path) -> None:
    settings = Settings(
        theme="dark", summaries="extractive", servers=(Server("a", "http://[::1]/v1", ("b", "c"), 32_768),)
    )
    write_settings(tmp_path / "deep" / "settings.json", settings)
    assert read_settings(tmp_path / "deep" / "settings.json") == settings
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["settings.json"]


@pytest.mark.parametrize(
    "content",
    [
        b"{broken",
        b"[]",
        b"",
        b'{"font_scale": "big"}',
        b'{"font_scale": 1e9}',
        b'{"font_scale": 0}',
        b'{"font_scale": -1}',
        b'{"rounds_most": -1}',
        b'{"theme": "sepia"}',
        b'{"summaries": "cheap"}',
        b'{"servers": [{"name": "a", "base_url": "", "models": [], "window": -5}]}',
        b'{"servers": ' + b"[" * 100_000,
        b'{"unknown": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b"\xff\xfe",
    ],
    ids=lambda content: content[:40].decode("latin-1"),
)
def test_damaged_settings_are_kept_beside(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(content)
    with pytest.raises(SettingsDamaged, match="defaults"):
        read_settings(file)
    assert (tmp_path / "settings.damaged.json").read_bytes() == content


def test_a_file_from_before_a_setting_keeps_all_the_others(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    assert read_settings(file) == Settings()
    file.write_text('{"theme": "dark", "utility_model": "work/small", "unknown": 1}')
    assert read_settings(file) == Settings(theme="dark", utility_model="work/small", summaries="auto")
