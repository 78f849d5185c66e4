"""Keys against real keyring backends: one that keeps, one that fails, none at all."""

from __future__ import annotations

from collections.abc import Iterator

import keyring
import keyring.backends.fail
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from desktop_app.models.keys import Keys
from desktop_app.settings import Server

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
    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("the user said no to sk-SECRET")


class PlaintextKeyring(Keeping):
    pass


@pytest.fixture(autouse=True)
def _same_keyring_afterwards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for variable in ("OPENAI_API_KEY", "PALIMPSEST_KEY_OPENAI", "PALIMPSEST_KEY_MY_HOME"):
        monkeypatch.delenv(variable, raising=False)
    before = keyring.get_keyring()
    yield
    keyring.set_keyring(before)


async def test_a_key_is_kept_in_the_keyring_and_found_in_the_next_run() -> None:
    backend = Keeping()
    keyring.set_keyring(backend)
    keys = Keys()
    await keys.load([HOME])
    assert keys.of("my home") == ""
    await keys.set("my home", " sk-1 ")
    assert backend.kept == {("palimpsest", "my home"): "sk-1"}
    assert keys.of("my home") == "sk-1"
    assert "keyring" in keys.storage
    later = Keys()
    await later.load([HOME])
    assert later.of("my home") == "sk-1"
    assert later.servers_with_key() == ("my home",)
    await later.set("my home", "")
    assert backend.kept == {}
    assert later.servers_with_key() == ()


@pytest.mark.parametrize("backend", [keyring.backends.fail.Keyring(), PlaintextKeyring()])
async def test_without_a_keyring_a_key_lasts_for_the_session_and_that_is_said(backend: KeyringBackend) -> None:
    keyring.set_keyring(backend)
    keys = Keys()
    await keys.set("my home", "sk-1")
    assert keys.of("my home") == "sk-1"
    assert "this session only" in keys.storage
    await keys.load([HOME])
    assert keys.of("my home") == "sk-1"
    if isinstance(backend, Keeping):
        assert backend.kept == {}
    assert Keys().of("my home") == ""


async def test_a_keyring_that_stays_locked_is_said_without_its_words() -> None:
    keyring.set_keyring(Locked())
    keys = Keys()
    await keys.load([HOME])
    assert "KeyringLocked" in keys.storage
    assert "SECRET" not in keys.storage
    await keys.set("my home", "sk-1")
    assert keys.of("my home") == "sk-1"


async def test_the_environment_holds_keys_too(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring.set_keyring(keyring.backends.fail.Keyring())
    monkeypatch.setenv("PALIMPSEST_KEY_MY_HOME", "sk-home")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    keys = Keys()
    await keys.load([HOME, OPENAI])
    assert (keys.of("my home"), keys.of("OpenAI")) == ("sk-home", "sk-openai")


async def test_openai_s_key_goes_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    keyring.set_keyring(keyring.backends.fail.Keyring())
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    keys = Keys()
    await keys.load([HOME, Server("fake", "https://api.openai.com.evil.invalid/v1", ("a",))])
    assert keys.servers_with_key() == ()
