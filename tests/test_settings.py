"""Settings: read, written in one step, and set aside when they are damaged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from desktop_app.conversation.setup import OwnPolicy
from desktop_app.settings import (
    Server,
    Settings,
    SettingsDamaged,
    merge_settings,
    read_settings,
    unknown_fields,
    update_settings,
    write_settings,
)

NAMED = st.lists(st.sampled_from("abcdef"), unique=True)
SETTINGS = st.builds(
    Settings,
    policies=NAMED.map(lambda names: tuple(map(OwnPolicy, names))),
    tools_off=NAMED.map(tuple),
    theme=st.sampled_from(["light", "dark"]),
)


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
        b'{"theme": []}',
        b'{"theme": "half of \\ud83d"}',
    ],
    ids=lambda content: content[:40].decode("latin-1"),
)
def test_damaged_settings_are_kept_beside(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(content)
    with pytest.raises(SettingsDamaged) as damage:
        read_settings(file)
    assert damage.value.usable == Settings()
    assert damage.value.copy == tmp_path / "settings.damaged.json"
    assert (tmp_path / "settings.damaged.json").read_bytes() == content


def test_settings_with_half_a_character_can_be_written_again(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text('{"folder": "/home/\\ud83d", "theme": "dark"}')
    with pytest.raises(SettingsDamaged) as damage:
        read_settings(file)
    write_settings(file, damage.value.usable)
    assert read_settings(file) == Settings(folder="/home/\ufffd", theme="dark")


HAND_MADE = Settings(
    chat_model="home/m1",
    servers=(Server("home", "http://[::1]/v1", ("m1",), 8_000), Server("work", "http://[::1]/v2", ("m2",), 9_000)),
    theme="dark",
    system_prompt='Lists end with ",]", and "{" begins one.',
    tools_off=("bash",),
)


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ('"tools_off": [\n    "bash"\n  ]', '"tools_off": [\n    "bash",\n  ]', {}),
        ('"theme": "dark"', '"theme": "sepia"', {"theme": "system"}),
        ('"theme": "dark",', '"theme": dark,', {"theme": "system"}),
        ('"theme": "dark",', '"theme": "dark"', {}),
        ('"window": 8000', '"window": "much"', {"servers": HAND_MADE.servers[1:]}),
        ('"window": 8000', '"window": 8.000.', {"servers": HAND_MADE.servers[1:]}),
        ('"window": 9000', '"window": 9000 tokens', {"servers": HAND_MADE.servers[:1]}),
    ],
    ids=["comma", "unknown", "unquoted", "no comma", "wrong type", "first server", "last server"],
)
def test_all_is_used_that_can_be_read_of_settings_with_a_fault(tmp_path: Path, old, new, lost) -> None:
    file = tmp_path / "settings.json"
    write_settings(file, HAND_MADE)
    written = file.read_text()
    assert written.count(old) == 1
    file.write_text(written.replace(old, new))
    with pytest.raises(SettingsDamaged) as damage:
        read_settings(file)
    assert damage.value.usable == replace(HAND_MADE, **lost)


def test_what_was_written_before_a_file_was_cut_off_is_used(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    write_settings(file, HAND_MADE)
    file.write_text(file.read_text().partition('"theme"')[0])
    with pytest.raises(SettingsDamaged) as damage:
        read_settings(file)
    assert damage.value.usable == Settings(chat_model="home/m1", servers=HAND_MADE.servers)


def test_a_file_from_before_a_setting_keeps_all_the_others(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    assert read_settings(file) == Settings()
    file.write_text('{"theme": "dark", "utility_model": "work/small", "unknown": 1}')
    assert read_settings(file) == Settings(theme="dark", utility_model="work/small", summaries="auto")


def of(*numbers: int) -> tuple[OwnPolicy, ...]:
    return tuple(OwnPolicy(f"p{number}", "balanced", {"max_tail": number}) for number in numbers)


def test_what_two_have_changed_is_merged() -> None:
    base = Settings(policies=of(1, 2), tools_off=("bash",))
    mine = replace(base, theme="dark", policies=(*of(1), OwnPolicy("p2", "relaxed"), *of(3)), tools_off=())
    theirs = replace(base, policy="p2", font_scale=1.5, policies=of(2, 4), tools_off=("bash", "read"))
    merged = merge_settings(base, mine, theirs)
    assert (merged.theme, merged.font_scale, merged.policy) == ("dark", 1.5, "p2")
    assert merged.policies == (OwnPolicy("p2", "relaxed"), *of(3, 4)), "p1 was deleted by them, p2 changed by me"
    assert merged.tools_off == ("read",)


def test_the_same_number_as_a_list_or_a_tuple_is_no_change() -> None:
    base = Settings(policies=(OwnPolicy("p", "balanced", {"layers": ["prune"]}),))
    mine = Settings(policies=(OwnPolicy("p", "balanced", {"layers": ("prune",)}),))
    assert merge_settings(base, mine, Settings(policies=of(1))).policies == of(1)


@given(SETTINGS, SETTINGS)
def test_a_merge_keeps_what_only_one_has_changed(base: Settings, other: Settings) -> None:
    assert merge_settings(base, base, other) == other
    assert merge_settings(base, other, base) == other


@pytest.mark.long
def test_processes_that_change_the_settings_at_once_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from msgspec.structs import replace;"
        "from desktop_app.settings import Settings, update_settings;"
        "[update_settings(Path(sys.argv[1]), lambda s: replace(s, tools_off=(*s.tools_off, f'{sys.argv[2]}{n}')),"
        " Settings()) for n in range(20)]"
    )
    file = tmp_path / "settings.json"
    children = [subprocess.Popen([sys.executable, "-c", code, str(file), name]) for name in "abc"]
    assert [child.wait() for child in children] == [0, 0, 0]
    assert sorted(read_settings(file).tools_off) == sorted(f"{name}{n}" for name in "abc" for n in range(20))


def test_what_was_damaged_is_replaced_by_what_was_in_force(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text("{broken")
    in_force = Settings(theme="dark")
    assert update_settings(file, lambda stored: replace(stored, font_scale=2.0), in_force).theme == "dark"
    assert (read_settings(file).theme, read_settings(file).font_scale) == ("dark", 2.0)


def test_unknown_fields_of_mcp_servers_are_named() -> None:
    content = b'{"mcp_servers": [{"name": "a", "command": ["x"], "args": ["y"], "env": {}}, {"name": "b", "url": "u"}]}'
    assert unknown_fields(content) == ("a: args", "a: env")
    assert unknown_fields(b"{") == ()
