"""Keys against real keyring backends: one that keeps, one that fails, none at all."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import keyring
import keyring.backends.fail
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked
from msgspec.structs import replace

from desktop_app.models.endpoint import VARIABLES, Keys
from desktop_app.settings import Server, ServerKind

HOME = Server("my home", "http://127.0.0.1:1/v1", ("a",))
OPENAI = Server("OpenAI", "https://api.openai.com/v1", ("gpt-4o",))


class Keeping(KeyringBackend):
    priority = 5  # pyright: ignore
    kept: dict[tuple[str, str], str]

    def __init__(self) -> None:
        self.kept = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class Locked(Keeping):
    asked = 0

    def get_password(self, service: str, username: str) -> str | None:
        self.asked += 1
        raise KeyringLocked("the user said no to sk-SECRET")


class PlaintextKeyring(Keeping):
    pass


@pytest.fixture(autouse=True)
def _same_keyring_afterwards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for variable in list(os.environ):
        if variable.endswith("_API_KEY") or variable.startswith("PALIMPSEST_KEY"):
            monkeypatch.delenv(variable)
    before = keyring.get_keyring()
    yield
    keyring.set_keyring(before)


async def test_a_key_is_kept_in_the_keyring_and_found_in_the_next_run() -> None:
    backend = Keeping()
    keyring.set_keyring(backend)
    keys = Keys()
    await keys.load([HOME])
    assert keys.get("my home") == ""
    await keys.set("my home", " sk-1 ")
    assert backend.kept == {("palimpsest", "my home"): "sk-1"}
    assert keys.get("my home") == "sk-1"
    assert "keyring" in keys.storage
    later = Keys()
    await later.load([HOME])
    assert later.get("my home") == "sk-1"
    assert later.servers_with_key() == ("my home",)
    assert keys.unstored() == later.unstored() == {}
    await later.set("my home", "")
    assert backend.kept == {}
    assert later.servers_with_key() == ()


@pytest.mark.parametrize("backend", [keyring.backends.fail.Keyring(), PlaintextKeyring()])
async def test_without_a_keyring_a_key_lasts_for_the_session_and_that_is_said(backend: KeyringBackend) -> None:
    keyring.set_keyring(backend)
    keys = Keys()
    await keys.set("my home", "sk-1")
    assert keys.get("my home") == "sk-1"
    assert "this session only" in keys.storage
    assert keys.unstored() == {"my home": "session"}
    await keys.load([HOME])
    assert keys.get("my home") == "sk-1"
    if isinstance(backend, Keeping):
        assert backend.kept == {}
    assert Keys().get("my home") == ""


async def test_a_keyring_that_stays_locked_is_said_without_its_words() -> None:
    backend = Locked()
    keyring.set_keyring(backend)
    keys = Keys()
    await keys.load([HOME])
    await keys.load([HOME])
    assert "KeyringLocked" in keys.storage
    assert "SECRET" not in keys.storage
    await keys.set("my home", "sk-1")
    assert keys.get("my home") == "sk-1"
    assert backend.asked == 1, "the user has said no"


@pytest.mark.parametrize(
    ("variables", "servers", "found"),
    [
        (
            {"PALIMPSEST_KEY_MY_HOME": "sk-home", "OPENAI_API_KEY": "sk-openai"},
            [HOME, OPENAI],
            ["sk-home", "sk-openai"],
        ),
        ({"OPENAI_API_KEY": "x"}, [HOME, Server("fake", "https://api.openai.com.evil.invalid/v1", ())], ["", ""]),
        ({"ANTHROPIC_API_KEY": "x"}, [Server("open", "http://api.anthropic.com", (), kind="anthropic")], [""]),
        ({"ANTHROPIC_API_KEY": "x"}, [Server("safe", "https://api.anthropic.com/v1", (), kind="vllm")], ["x"]),
    ],
    ids=["by name and by provider", "another host", "an open line", "the own address"],
)
async def test_a_key_of_the_environment_goes_to_its_own_server_alone(
    variables: dict[str, str], servers: list[Server], found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring.set_keyring(keyring.backends.fail.Keyring())
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    keys = Keys()
    await keys.load(servers)
    assert [keys.get(server.name) for server in servers] == found
    await keys.load([replace(server, base_url="https://proxy.example/v1") for server in servers])
    assert {keys.get(server.name) for server in servers} <= {"", "sk-home"}, "a provider's key stays behind"


@pytest.mark.parametrize("kind", get_args(ServerKind))
async def test_each_provider_s_own_variable_is_for_its_own_address_alone(
    kind: ServerKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring.set_keyring(keyring.backends.fail.Keyring())
    for name in (variable for names in VARIABLES.values() for variable in names):
        monkeypatch.setenv(name, f"key in {name}")
    keys = Keys()
    await keys.load([Server("own", "", ("a",), kind=kind), Server("else", "https://proxy.example/v1", (), kind=kind)])
    assert keys.get("own") == (f"key in {VARIABLES[kind][0]}" if kind in VARIABLES else "")
    assert keys.get("else") == "", "a proxy has a key of its own"


async def test_keys_that_were_read_stay_when_the_keyring_is_locked_again() -> None:
    backend = Keeping()
    backend.kept["palimpsest", "my home"] = "sk-1"
    keyring.set_keyring(backend)
    keys = Keys()
    await keys.load([HOME])
    backend.get_password = Locked().get_password
    await keys.load([HOME])
    assert keys.get("my home") == "sk-1"


async def test_a_server_of_tools_has_its_key_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = Keeping()
    keyring.set_keyring(backend)
    backend.kept["palimpsest", "mcp/github"] = "ghp-1"
    monkeypatch.setenv("PALIMPSEST_KEY_MCP_WIKI", "w-1")
    keys = Keys()
    await keys.load([HOME], ["mcp/github", "mcp/wiki", "mcp/none"])
    assert [keys.get(f"mcp/{name}") for name in ("github", "wiki", "none")] == ["ghp-1", "w-1", ""]


async def test_a_file_holds_keys_only_where_the_user_names_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    backend = Keeping()
    keyring.set_keyring(backend)
    file = tmp_path / "deep" / "keys.json"
    monkeypatch.setenv("PALIMPSEST_KEYS_FILE", str(file))
    keys = Keys()
    await keys.load([HOME])
    await keys.set("my home", "sk-1")
    await keys.set("other", "sk-2")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()) == {"my home": "sk-1", "other": "sk-2"}
    assert "plain text" in keys.storage
    assert backend.kept == {}
    later = Keys()
    await later.load([HOME])
    assert later.get("my home") == "sk-1"
    await later.set("my home", "")
    assert json.loads(file.read_text()) == {"other": "sk-2"}
    assert [entry.name for entry in file.parent.iterdir()] == ["keys.json"]


@pytest.mark.parametrize(
    ("content", "mode", "words"),
    [
        ('{"my home": "sk-SECRET"}', 0o640, "chmod 600"),
        ('{"my home": "sk-SECRET"}', 0o604, "chmod 600"),
        ("sk-SECRET", 0o600, "JSON"),
        ('["sk-SECRET"]', 0o600, "shape"),
        ('{"my home": {"key": "sk-SECRET"}}', 0o600, "shape"),
        ("", 0o600, "JSON"),
        pytest.param("[" * 100_000, 0o600, "JSON", id="nested"),
    ],
)
async def test_a_file_that_others_can_read_or_of_another_shape_is_refused_without_its_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str, mode: int, words: str
) -> None:
    file = tmp_path / "keys.json"
    file.write_text(content)
    file.chmod(mode)
    monkeypatch.setenv("PALIMPSEST_KEYS_FILE", str(file))
    keys = Keys()
    await keys.load([HOME])
    assert (keys.get("my home"), words in keys.storage) == ("", True)
    await keys.set("my home", "sk-2")
    assert keys.get("my home") == "sk-2", "for this session"
    assert "this session only" in keys.storage
    assert "SECRET" not in keys.storage
    assert file.read_text() == content


async def test_keys_are_not_in_what_is_printed_of_them() -> None:
    keyring.set_keyring(keyring.backends.fail.Keyring())
    keys = Keys()
    await keys.set("my home", "sk-SECRET")
    assert "SECRET" not in repr(keys)
    assert "my home" in repr(keys)


async def test_a_key_of_the_environment_is_not_said_to_be_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring.set_keyring(Keeping())
    monkeypatch.setenv("PALIMPSEST_KEY_MY_HOME", "sk-2")
    keys = Keys()
    await keys.load([HOME])
    assert keys.servers_with_key() == ("my home",)
    assert keys.unstored() == {"my home": "environment"}
    await keys.set("my home", "sk-3")
    assert keys.unstored() == {}, "the stored one is used"
