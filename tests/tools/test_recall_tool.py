"""`recall` over a real archive."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import pytest_asyncio
from tool_calls import outcome_of

from desktop_app.archive.archive import ArchiveThread
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text, ToolCall
from desktop_app.conversation.tools import ToolContext, ToolOutcome
from desktop_app.tools.recall_tool import RecallTool
from desktop_app.tools.registry import BuiltinTools

SAID = {
    3: "We go to Lisbon on 12 May, and stay at the Hotel Aurora.",
    8: "My sister Clara is allergic to nuts.",
    15: "The invoice of the printer has the number 4711.",
}


def count(text: str) -> int:
    return len(text.split())


@pytest_asyncio.fixture(autouse=True)
async def chat(archive: ArchiveThread) -> None:
    roles = (Role.USER, Role.ASSISTANT)
    texts = [SAID.get(n, f"Filler {n}.") for n in range(20)]
    messages = [Message(id=f"m{n}", at=1.7e9 + n, role=roles[n % 2], parts=(Text(t),)) for n, t in enumerate(texts)]
    await archive.create(ConversationInfo("c", "A chat", 1.0, 1.0), messages)


async def recall(
    archive: ArchiveThread, max_tokens: int = 4_000, conversation: str = "c", **arguments: object
) -> ToolOutcome:
    async def room(conversation: str) -> tuple[int, Callable[[str], int]]:
        return max_tokens, count

    tools = BuiltinTools((RecallTool(archive, room),))
    return await outcome_of(tools, ToolCall("1", "recall", json.dumps(arguments)), ToolContext(conversation))


async def test_what_was_said_is_found_by_its_content_with_its_number(archive: ArchiveThread) -> None:
    found = await recall(archive, query="Which hotel in Lisbon?")
    assert not found.is_error
    assert "#3 assistant: We go to Lisbon on 12 May" in found.text
    assert "4711" not in found.text
    await archive.set_archived("c", [f"m{n}" for n in range(18)], [])
    assert "Clara" in (await recall(archive, query="allergic to nuts")).text, "archived messages, too"
    assert "Nothing" in (await recall(archive, query="zeppelin")).text
    assert "Lisbon on" not in (await recall(archive, conversation="nowhere", query="Lisbon")).text


async def test_around_a_message_its_neighbours_are_read(archive: ArchiveThread) -> None:
    found = await recall(archive, message=8)
    lines = [line for line in found.text.splitlines() if line.startswith("#")]
    assert [line.split()[0] for line in lines] == [f"#{n}" for n in range(4, 13)]
    assert (await recall(archive, message=0)).text.splitlines()[1].startswith("#0 user")


async def test_it_never_takes_more_than_its_room(archive: ArchiveThread) -> None:
    long = Message(id="long", at=1.7e9 + 30, role=Role.USER, parts=(Text("word " * 5_000),))
    await archive.append("c", long)
    for max_tokens in (30, 100, 500):
        for arguments in ({"message": 20}, {"message": 8}, {"query": "Lisbon hotel word"}):
            assert count((await recall(archive, max_tokens, **arguments)).text) <= max_tokens
    assert "24,999" in (await recall(archive, 100, message=20)).text


@pytest.mark.parametrize(
    ("arguments", "words"), [({}, "query"), ({"query": " "}, "query"), ({"message": 99}, "#0 to #19")]
)
async def test_what_cannot_be_looked_up_is_an_error(archive: ArchiveThread, arguments: dict, words: str) -> None:
    outcome = await recall(archive, **arguments)
    assert outcome.is_error
    assert words in outcome.text
