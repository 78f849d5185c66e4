"""A key is in no file of ours, no log, no export, no message and no error: everything is searched for it."""

from __future__ import annotations

import logging
import os
import traceback
from pathlib import Path

import keyring
import keyring.backends.fail
import msgspec
import pytest

from desktop_app.archive.archive import Archive
from desktop_app.chat.ports import ModelError
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text, user_message
from desktop_app.models.catalogue import Catalogue
from desktop_app.models.discovery import list_models
from desktop_app.models.endpoint import Endpoint, Keys
from desktop_app.paths import database_file, settings_file
from desktop_app.settings import Server, Settings, write_settings
from kinds_of_server import EACH, KEY, Kind
from provider import AnyStep, Cut, ErrorEvent, Garbage, Reply, Status

FAULTS: tuple[AnyStep, ...] = (
    Status(400, f"Bad request with {KEY}"),
    Status(401, f"Incorrect API key provided: {KEY}"),
    Status(500, body=f"<html>Authorization: Bearer {KEY}</html>"),
    ErrorEvent("Hel", f"The key {KEY} has expired"),
    Garbage(f"<html>{KEY}</html>"),
    Cut("Hel"),
)


@pytest.fixture
async def keys(monkeypatch: pytest.MonkeyPatch) -> Keys:
    """As on a machine without a keyring, with the key entered by hand."""
    monkeypatch.delenv("PALIMPSEST_KEYS_FILE", raising=False)
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.backends.fail.Keyring())
    keys = Keys()
    await keys.set("Test server", KEY)
    keyring.set_keyring(before)
    return keys


def all_that_is_said(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))


@pytest.mark.slow
@pytest.mark.parametrize("kind", **EACH)
async def test_no_fault_shows_the_key(
    kind: Kind, keys: Keys, data_folder: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    archive = await Archive.open(database_file(data_folder))
    await archive.create(ConversationInfo("c", "A chat", 0.0, 0.0))
    said: list[str] = []
    for number, step in enumerate((Reply("Hello"), *FAULTS)):
        with kind.provider(step) as provider:
            address = provider.root_url + kind.path
            settings = Settings(servers=(Server("Test server", address, (kind.model,), 8192, kind=kind.kind),))
            catalogue = Catalogue(settings, keys.get)
            write_settings(settings_file(data_folder), settings)
            await catalogue.discover()
            model = catalogue.model(f"Test server/{kind.model}")
            text = ""
            try:
                text = repr([piece async for piece in model.stream((user_message("Hi"),), 10)])
            except ModelError as error:
                said += [all_that_is_said(error), msgspec.json.encode(error.failure).decode()]
            said += [repr(catalogue.infos()), repr(await list_models(Endpoint("Test server", address, KEY, kind.kind)))]
            reply = Message(id=f"m{number}", role=Role.ASSISTANT, parts=(Text(text or said[-2]),))
            await archive.append("c", reply)
            await catalogue.close()
    await archive.close()
    printed = capfd.readouterr()
    # What a library notes at its finest level is no log of ours: the engine writes from INFO on.
    logged = "\n".join(record.getMessage() for record in caplog.records if record.levelno >= logging.INFO)
    secret = KEY.removeprefix("sk-")
    for where, what in (("errors", "\n".join(said)), ("log", logged), ("output", printed.out + printed.err)):
        assert secret not in what, where
    for folder, _, names in os.walk(data_folder):
        for name in names:
            assert secret.encode() not in Path(folder, name).read_bytes(), name
    assert secret not in repr(keys) + keys.storage
