"""Importing through the engine: what is offered, what is stored, and what a cancel leaves."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from desk import Desk
from msgspec.structs import replace

from desktop_app.chat.ports import WorldError
from desktop_app.engine import protocol as p
from desktop_app.imports import histories, openai_files

pytestmark = pytest.mark.wire


def chat_file(path: Path, *texts: str) -> str:
    roles = ("user", "assistant")
    lines = [json.dumps({"role": roles[index % 2], "content": text}) for index, text in enumerate(texts)]
    path.write_text("\n".join(lines))
    return str(path)


async def test_what_was_offered_and_chosen_is_in_the_list_and_can_be_read(desk: Desk, tmp_path: Path) -> None:
    one = chat_file(tmp_path / "one.jsonl", "What is tea?", "A drink.")
    other = chat_file(tmp_path / "other.jsonl", "What is ink?", "A liquid.", "Thanks!")
    looked = await desk.ask(p.LookThrough((one, other)))
    assert {each.title: each.messages for each in looked.found} == {"What is tea?": 2, "What is ink?": 3}
    chosen = next(each.id for each in looked.found if each.messages == 3)
    outcome = await desk.ask(p.ImportConversations((one, other), frozenset({chosen})))
    assert (outcome.conversations, outcome.messages, outcome.newest) == (1, 3, chosen)
    listed = await desk.ask(p.ListConversations())
    assert [info.title for info in listed.conversations] == ["What is ink?"]
    read = await desk.ask(p.ReadMessages(chosen, 100, 10))
    assert [row.message.text for row in read.rows] == ["What is ink?", "A liquid.", "Thanks!"]


async def test_an_open_conversation_shows_what_a_later_import_adds(desk: Desk, tmp_path: Path) -> None:
    texts = ["What is tea?", "A drink.", "Hot?", "Mostly."]
    file = chat_file(tmp_path / "one.jsonl", *texts)
    (found,) = (await desk.ask(p.LookThrough((file,)))).found
    await desk.ask(p.ImportConversations((file,), frozenset({found.id})))
    await desk.ask(p.OpenConversation(found.id))
    file = chat_file(tmp_path / "one.jsonl", *texts, "And cold?")
    assert (await desk.ask(p.ImportConversations((file,), frozenset({found.id})))).messages == 1
    read = await desk.ask(p.ReadMessages(found.id, 100, 10))
    assert [row.message.text for row in read.rows] == [*texts, "And cold?"]


async def test_where_nothing_is_found_the_known_kinds_are_named(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "picture.bin").write_bytes(bytes(range(256)))
    looked = await desk.ask(p.LookThrough((str(tmp_path / "picture.bin"),)))
    assert looked.found == ()
    assert [each.file for each in looked.unread] == ["picture.bin"]
    assert "ChatGPT" in looked.known_kinds


async def test_looking_through_can_be_cancelled(desk: Desk, tmp_path: Path) -> None:
    file = chat_file(tmp_path / "one.jsonl", *["word " * 1_000] * 2_000)
    looking = asyncio.ensure_future(desk.ask(p.LookThrough((file,))))
    while not desk.engine.newest.is_running(f"{p.Computation.IMPORT} "):
        await asyncio.sleep(0)
    await desk.ask(p.CancelComputation(p.Computation.IMPORT))
    with pytest.raises(WorldError) as caught:
        await looking
    assert caught.value.failure.kind == "cancelled"


async def test_histories_of_this_machine_are_found(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    assert (await desk.ask(p.FindHistories())).histories == ()
    monkeypatch.setattr(histories, "FORMATS", (replace(openai_files.FORMAT, program="Tea Chat", homes=(".tea",)),))
    (tmp_path / ".tea").mkdir()
    chat_file(tmp_path / ".tea" / "one.jsonl", "What is tea?")
    (found,) = (await desk.ask(p.FindHistories())).histories
    assert (found.program, found.path, found.files) == ("Tea Chat", str(tmp_path / ".tea"), 1)
    (offered,) = (await desk.ask(p.LookThrough((found.path,)))).found
    assert offered.title == "What is tea?"
