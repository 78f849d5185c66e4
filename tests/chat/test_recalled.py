"""Recall over a real archive: what is asked for on purpose, and what is brought back unasked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from builders import model, user
from desktop_app.archive.archive import Archive
from desktop_app.chat.recall_service import as_text, recall, recall_unasked
from desktop_app.conversation.events import ArchiveError
from desktop_app.conversation.listing import ConversationInfo
from desktop_app.conversation.message import Message, Role, Text, ToolCall, ToolResult
from desktop_app.models.tokens.tokenizers import tokenizer_for

count = tokenizer_for("gpt-5").count

LOG = "\n".join(f"collected tests/unit/test_{n}.py and it passed" for n in range(900))
TALK: list[tuple[Role, str]] = [
    (Role.USER, "We keep the prices in euros, never in dollars, and round them half to even."),
    (Role.ASSISTANT, "Understood: euros, rounded half to even."),
    (Role.USER, "My colleague Greta wrote the importer last spring. She is in Lisbon until August."),
    (Role.ASSISTANT, "Good to know, I will mention Greta when the importer comes up."),
    (Role.USER, "Run the unit tests, please."),
    (Role.TOOL, f"{LOG}\nE   KeyError: 'invoice_total' in billing/report.py line 88\n{LOG}"),
    (Role.ASSISTANT, "One test fails in billing/report.py."),
    (Role.USER, "发票的模板放在 templates 文件夹里，名字是“蓝色发票”。"),
    (Role.ASSISTANT, "好的，我会使用蓝色发票的模板。"),
    *((Role.USER, f"And now we look at chapter {n} of the handbook.") for n in range(40)),
]
NOTHING = (
    """
thanks!|go on|yes please|hmm|try again|why?|let's try something else|Can you make it shorter?|继续|好的，谢谢
any other ideas?|that's exactly what I wanted|could you say that in other words?|Hello!|How do I whisk egg whites?
Write a haiku about autumn leaves.|What is the capital of Australia?
""".strip()
    .replace("\n", "|")
    .split("|")
)
"""What only goes on, or is about another matter."""
QUESTIONS = [
    ("Who wrote the importer?", 2),
    ("Did we keep the prices in dollars or in euros?", 0),
    ("Where is Greta?", 2),
    ("what was the KeyError about", 5),
    ("now fix line 88 of billing/report.py", 5),
    ("发票的模板叫什么名字？", 7),
]


def message(index: int) -> Message:
    role, text = TALK[index]
    parts = (ToolResult("c", "bash", text),) if role is Role.TOOL else (Text(text),)
    if index == 4:
        return model(text, ToolCall("c", "bash", '{"command": "x"}'), id="m4", at=4.0)
    return Message(id=f"m{index}", at=float(index), role=role, parts=parts)


@pytest_asyncio.fixture
async def archive(tmp_path: Path) -> AsyncIterator[Archive]:
    archive = await Archive.open(tmp_path / "archive.sqlite3")
    await archive.create(ConversationInfo("c", "Work", 1.0, 1.0), [message(index) for index in range(len(TALK))])
    yield archive
    await archive.close()


@pytest_asyncio.fixture
async def compacted(archive: Archive) -> Archive:
    """The same, with all but the last ten messages out of the view."""
    await archive.append("c", archived=[f"m{index}" for index in range(len(TALK) - 10)])
    return archive


@pytest.mark.parametrize(("query", "index"), QUESTIONS)
async def test_what_answers_a_query_is_brought_back(archive: Archive, query: str, index: int) -> None:
    found = await recall(archive, "c", query, 400, count)
    assert index in [message.index for message in found.messages]
    assert found.tokens == count(as_text(found)) <= 400


async def test_a_model_reads_places_speakers_and_passages(archive: Archive) -> None:
    text = as_text(await recall(archive, "c", "KeyError invoice_total", 500, count))
    assert text.startswith("[1970-01-01]\n#")
    assert "KeyError: 'invoice_total' in billing/report.py line 88" in text
    assert "characters): … " in text  # of the log, the passage alone
    assert len(text) < 3_000


class Busy:
    """An archive in which each look-up finds a message more: a turn runs meanwhile, such as the one that recalls."""

    def __init__(self, archive: Archive) -> None:
        self._archive, self._said = archive, 0

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        async def call(*arguments: object) -> object:
            self._said += 1
            text = Text("Greta wrote the importer, says Greta, while the KeyError in the importer was looked for.")
            await self._archive.append("c", user(text, id=f"late{self._said}", at=1e3))
            return await getattr(self._archive, name)(*arguments)

        return call


@pytest.mark.parametrize("query", [query for query, _ in QUESTIONS])
async def test_what_is_said_while_it_is_looked_for_is_left_out(archive: Archive, query: str) -> None:
    found = await recall(Busy(archive), "c", query, 4_000, count)
    assert found.messages
    assert not [one for one in found.messages if one.id.startswith("late") and one.index > len(TALK)]


async def test_a_query_without_matter_brings_nothing_back(archive: Archive) -> None:
    found = await recall(archive, "c", "thanks!", 4_000, count)
    assert found.messages == ()
    assert found.tokens == 0
    assert as_text(found) == ""


async def test_only_some_messages_may_be_asked_for(archive: Archive) -> None:
    found = await recall(archive, "c", "Greta and the importer", 4_000, count, among={3, 20})
    assert [message.index for message in found.messages] == [3]


async def test_a_conversation_that_is_not_there_is_told(archive: Archive) -> None:
    with pytest.raises(ArchiveError, match="no conversation 'd'"):
        await recall(archive, "d", "Greta", 4_000, count)
    with pytest.raises(ArchiveError, match="no conversation 'd'"):
        await recall_unasked(archive, "d", "Greta", 4_000, count)


@pytest.mark.parametrize(("query", "index"), QUESTIONS)
async def test_unasked_what_the_view_no_longer_has_is_brought_back(compacted: Archive, query: str, index: int) -> None:
    found = await recall_unasked(compacted, "c", query, 4_000, count)
    assert found is not None
    assert index in [message.index for message in found.messages]
    assert all(message.index < len(TALK) - 10 for message in found.messages)
    assert len(found.messages) <= 10  # what is much weaker than the best stays away


@pytest.mark.parametrize("text", NOTHING)
async def test_unasked_nothing_is_brought_back_for_what_only_goes_on(compacted: Archive, text: str) -> None:
    assert await recall_unasked(compacted, "c", text, 4_000, count) is None


async def test_unasked_nothing_is_brought_back_that_is_in_the_view(archive: Archive) -> None:
    assert await recall_unasked(archive, "c", "Who wrote the importer?", 4_000, count) is None
    await archive.append("c", archived=["m0"])
    assert await recall_unasked(archive, "c", "Who wrote the importer?", 4_000, count) is None


async def test_what_was_brought_back_already_is_not_brought_back_again(compacted: Archive) -> None:
    first = await recall_unasked(compacted, "c", "Who wrote the importer?", 4_000, count)
    assert first is not None
    again = await recall_unasked(compacted, "c", "Who wrote the importer?", 4_000, count, first.message_ids)
    assert again is None or not set(first.message_ids) & set(again.message_ids)
