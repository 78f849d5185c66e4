"""`recall` over a real archive."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from desktop_app.archive.archive import ArchiveThread
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text, ToolCall
from desktop_app.conversation.tools import ToolContext, ToolOutcome
from desktop_app.tools.recall_tool import RecallTool
from desktop_app.tools.registry import BuiltinTools

HERE = ToolContext("c")
SAID = {
    3: "We go to Lisbon on 12 May, and stay at the Hotel Aurora.",
    8: "My sister Clara is allergic to nuts.",
    15: "The invoice of the printer has the number 4711.",
}


def count(text: str) -> int:
    return len(text.split())


@pytest_asyncio.fixture
async def archive(tmp_path: Path) -> AsyncIterator[ArchiveThread]:
    archive = await ArchiveThread.open(tmp_path / "archive.sqlite3")
    roles = (Role.USER, Role.ASSISTANT)
    texts = [SAID.get(n, f"Filler {n}.") for n in range(20)]
    messages = [Message(id=f"m{n}", at=1.7e9 + n, role=roles[n % 2], parts=(Text(t),)) for n, t in enumerate(texts)]
    await archive.create(ConversationInfo("c", "A chat", 1.0, 1.0), messages)
    yield archive
    await archive.close()


def source_of(archive: ArchiveThread, most: int) -> BuiltinTools:
    async def room(conversation: str) -> tuple[int, Callable[[str], int]]:
        return most, count

    return BuiltinTools((RecallTool(archive, room),))


async def called(archive: ArchiveThread, most: int = 4_000, **arguments: object) -> ToolOutcome:
    source = source_of(archive, most)
    *_, outcome = [p async for p in source.run(ToolCall("1", "recall", json.dumps(arguments)), HERE)]
    assert isinstance(outcome, ToolOutcome)
    return outcome


async def test_what_was_said_is_found_by_what_it_is_about_with_its_number(archive: ArchiveThread) -> None:
    found = await called(archive, query="Which hotel in Lisbon?")
    assert not found.is_error
    assert "#3 assistant: We go to Lisbon on 12 May" in found.text
    assert "4711" not in found.text


async def test_it_is_found_too_when_it_was_archived(archive: ArchiveThread) -> None:
    await archive.set_archived("c", [f"m{n}" for n in range(18)], [])
    assert "Clara" in (await called(archive, query="allergic to nuts")).text


async def test_around_a_message_its_neighbours_are_read(archive: ArchiveThread) -> None:
    found = await called(archive, message=8)
    lines = [line for line in found.text.splitlines() if line.startswith("#")]
    assert [line.split()[0] for line in lines] == [f"#{n}" for n in range(4, 13)]
    assert (await called(archive, message=0)).text.splitlines()[1].startswith("#0 user")


async def test_it_never_takes_more_than_its_room(archive: ArchiveThread) -> None:
    long = Message(id="long", at=1.7e9 + 30, role=Role.USER, parts=(Text("word " * 5_000),))
    await archive.append("c", long)
    for most in (30, 100, 500):
        for arguments in ({"message": 20}, {"message": 8}, {"query": "Lisbon hotel word"}):
            assert count((await called(archive, most, **arguments)).text) <= most
    assert "of 24,999 characters" in (await called(archive, 100, message=20)).text


@pytest.mark.parametrize(
    ("arguments", "why"),
    [({}, "Say what to look for"), ({"query": " "}, "Say what to look for"), ({"message": 99}, "#0 to #19")],
)
async def test_what_cannot_be_looked_up_is_told(archive: ArchiveThread, arguments: dict, why: str) -> None:
    outcome = await called(archive, **arguments)
    assert outcome.is_error
    assert why in outcome.text


async def test_nothing_found_is_said(archive: ArchiveThread) -> None:
    assert (await called(archive, query="zeppelin")).text.startswith("Nothing was found")


async def test_an_unknown_conversation_is_told(archive: ArchiveThread) -> None:
    source = source_of(archive, 100)
    call = ToolCall("1", "recall", '{"query":"Lisbon"}')
    *_, outcome = [piece async for piece in source.run(call, ToolContext("nowhere"))]
    assert isinstance(outcome, ToolOutcome)
    assert outcome.text.startswith(("Nothing was found", "The archive could not be searched"))
