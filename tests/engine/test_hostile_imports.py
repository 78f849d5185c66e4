"""Files of somebody who means harm, imported through the engine, and what is sent when such a chat goes on."""

from __future__ import annotations

import http.server
import json
import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from desk import Desk, open_desk
from msgspec.structs import replace

from desktop_app.conversation.events import TurnFailed
from desktop_app.engine import protocol as p
from desktop_app.paths import settings_file
from desktop_app.settings import Server, Settings
from hostile_values import SAMPLES, variants
from imported import import_all
from kinds_of_server import KEY, OF_KIND, Kind
from provider import Reply, ScriptedProvider
from request_rules import legal_for_all

pytestmark = [pytest.mark.wire, pytest.mark.timeout(900)]
FILES = sorted(SAMPLES.iterdir())
QUICK = ("chatgpt.json", "claude_code.jsonl")
AT_ONCE, TURNS = 60, 6
GOOD = [{"role": "user", "content": "What is tea?"}, {"role": "assistant", "content": "A drink."}]
SEED = os.environ.get("SEED", "h6008")


@pytest.mark.parametrize(
    "sample",
    [file if file.name in QUICK else pytest.param(file, marks=pytest.mark.slow) for file in FILES],
    ids=lambda file: file.name,
)
async def test_hostile_files_are_imported_beside_a_good_one(tmp_path: Path, data_folder: Path, sample: Path) -> None:
    given = tmp_path / "given"
    attempts = list(variants(sample, random.Random(f"{sample.name} {SEED}"), AT_ONCE))
    for number, (_, content) in enumerate(attempts):
        (given / f"{number:02}").mkdir(parents=True)
        (given / f"{number:02}" / sample.name).write_text(content, encoding="utf-8")
    (given / "good.json").write_text(json.dumps(GOOD))
    with ScriptedProvider([Reply("Yes.")], repeat_last=True) as provider:
        server = Server("scripted", provider.base_url, ("scripted",), window=200_000, max_output=1_000)
        desk = await open_desk(data_folder, Settings(chat_model="scripted/scripted", servers=(server,)))
        try:
            settings = settings_file(data_folder).read_bytes()
            await check_import(desk, given, sample.name)
            await check_turns(desk, provider)
            assert settings_file(data_folder).read_bytes() == settings
        finally:
            await desk.close()


async def check_import(desk: Desk, given: Path, name: str) -> None:
    """All of the folder is imported or said to be left out, and sets nothing."""
    looked = await desk.ask(p.LookThrough((str(given),)))
    unread = {each.file for each in looked.unread}
    assert "good.json" not in unread
    assert all(each.reason for each in looked.unread)
    files = {each.file for each in looked.found} | unread
    assert "good.json" in files
    assert not [file for file in files if not (given / file).is_file()], "it was read from elsewhere"
    chosen = frozenset(each.id for each in looked.found)
    finished = await desk.ask(p.ImportConversations((str(given),), chosen))
    listed = (await desk.ask(p.ListConversations())).conversations
    assert {each.id for each in listed} | {each.id for each in listed if each.is_put_away} <= chosen
    assert finished.outcome.conversations >= len(chosen)
    assert "What is tea?" in {each.title for each in listed}
    assert (await desk.ask(p.ListMemories())).memories == ()


async def check_turns(desk: Desk, provider: ScriptedProvider) -> None:
    """Some of the conversations go on: the request is legal, and offers what the settings say."""
    listed = (await desk.ask(p.ListConversations())).conversations
    for info in random.Random(SEED).sample(listed, min(TURNS, len(listed))):
        await desk.ask(p.OpenConversation(info.id))
        await desk.ask(p.Send(info.id, "Are you still there?"))
        await desk.engine.conversations.turns.wait_until_idle(info.id)
    failed = [event for event in desk.events() if isinstance(event, TurnFailed)]
    assert not failed, failed
    assert provider.requests
    for request in provider.requests:
        assert legal_for_all(request.messages) == []
        assert request.body["model"] == "scripted"


@pytest.fixture
def page() -> Iterator[tuple[str, list[str]]]:
    """The address of a picture, and what was asked of its server."""
    asked: list[str] = []

    class Pictures(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(404)
            self.end_headers()

        do_HEAD = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pictures)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    server.server_close()


KINDS = [OF_KIND[name] for name in ("anthropic", "openai", "gemini", "ollama")]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.flavour)
async def test_no_picture_of_an_imported_chat_is_fetched(
    kind: Kind, page: tuple[str, list[str]], tmp_path: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALIMPSEST_KEY_TEST", KEY)
    root, asked = page
    addresses = (f"{root}/a.png", root.replace("127.0.0.1", "localhost") + "/b.png", "file:///etc/passwd", "//e/x.png")
    pictures = [{"type": "image_url", "image_url": {"url": address}} for address in addresses]
    said = [{"role": "user", "content": [{"type": "text", "text": "What is this?"}, *pictures]}, GOOD[1]]
    (tmp_path / "chat.json").write_text(json.dumps(said))
    with kind.provider(Reply("It is gone."), window=32_000) as provider:
        server = Server("test", provider.root_url + kind.path, (kind.model,), 32_000, 2_000, kind=kind.kind)
        desk = await open_desk(
            data_folder, Settings(chat_model=f"test/{kind.model}", servers=(server,), is_memory_on=False)
        )
        catalogue = desk.engine.services.catalogue
        known = catalogue._capabilities
        monkeypatch.setattr(catalogue, "_capabilities", lambda *of: replace(known(*of), supports_vision=True))
        try:
            conversation = await import_all(desk.ask, tmp_path / "chat.json")
            await desk.ask(p.OpenConversation(conversation))
            await desk.ask(p.Send(conversation, "And now?"))
            await desk.engine.conversations.turns.wait_until_idle(conversation)
            assert not [event for event in desk.events() if isinstance(event, TurnFailed)]
        finally:
            await desk.close()
    (request,) = provider.requests
    sent = json.dumps(request.body)
    assert asked == []
    assert not [address for address in addresses if address in sent]
    assert "What is this?" in sent
