"""What is seen of a record before it is read is what is seen once it is folded, on random records and operations."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import rule
from test_properties import Conversation

from desktop_app.archive.archive import Archive
from desktop_app.chat.open_sessions import PartialSession
from desktop_app.chat.session import Session
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.listing import ConversationInfo, ModelInfo
from desktop_app.conversation.message import Message, Part, Role, Text, ToolCall, ToolResult
from desktop_app.conversation.transcript import (
    AnyEntry,
    Compaction,
    ConversationLink,
    Flush,
    Pin,
    Prune,
    PrunedResult,
    Rewind,
    Switch,
    Trigger,
    Undo,
    replace_surrogates,
)
from examples import examples
from fake_model import FakeModel
from provider import ScriptedProvider

INFO = ConversationInfo("c", "A conversation", created_at=1.0, updated_at=1.0)
MODEL = ModelInfo("scripted/scripted", "Scripted", 8_192, 1_000)


class PartialConversation(Conversation):
    """At the end of each history, pages of all sizes are compared."""

    @rule(kind=st.sampled_from(["flush", "link"]))
    def note_what_has_a_mark(self, kind: str) -> None:
        """What is shown behind the message that came before it, in whatever branch."""
        flush = Flush(memories=("m",), texts=("Ann likes tea.",))
        self.add(flush if kind == "flush" else ConversationLink(conversation="d", title="Another"))

    def teardown(self) -> None:
        compare(*self.transcript.entries)


def compare(*entries: AnyEntry) -> bool:
    """Compare what is seen of the record with what is folded; return whether it could be seen."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_compare(Path(folder), tuple(map(replace_surrogates, entries))))


async def _compare(folder: Path, entries: tuple[AnyEntry, ...]) -> bool:
    archive = await Archive.open(folder / "archive.sqlite3")
    try:
        await archive.create(INFO, entries)
        model = FakeModel(MODEL, ScriptedProvider([]))
        outline = await archive.record_outline("c")
        assert outline is not None
        partial = PartialSession(archive, INFO, outline, MODEL, TokenCounts(model.tokenizer, MODEL.dialect))
        if partial.is_certain:
            await look_at_all(partial, Session(INFO, await archive.entries("c"), model, BALANCED, archive))
        else:
            assert any(isinstance(entry, Pin) for entry in entries)
        return partial.is_certain
    finally:
        await archive.close()


async def look_at_all(partial: PartialSession, session: Session) -> None:
    assert partial.total == session.total
    assert partial.operations() == session.operations()
    assert partial.other_versions() == session.other_versions()
    assert await partial.pins() == session.pins()
    for limit in (1, 2, 3, 60):
        for before in range(0, session.total + 2, limit):
            assert await partial.page(before, limit) == session.page(before, limit)
        for message_id in session.recorded.by_id:
            assert await partial.page(0, limit, message_id) == session.page(0, limit, message_id)


TestPartialConversation = pytest.mark.long(pytest.mark.timeout(600)(PartialConversation.TestCase))
TestPartialConversation.settings = settings(max_examples=examples(100), stateful_step_count=20, deadline=None)


def said(number: int, role: Role, *parts: Part) -> Message:
    return Message(id=f"m{number}", at=1.0, role=role, parts=parts)


EXCHANGE = (
    said(0, Role.USER, Text("Read it.")),
    said(1, Role.ASSISTANT, ToolCall("a", "read", "{}"), ToolCall("b", "read", "{}")),
    said(2, Role.TOOL, ToolResult("a", "read", "long " * 99)),
    said(3, Role.TOOL, ToolResult("b", "read", "long " * 99)),
    said(4, Role.ASSISTANT, Text("Done.")),
    said(5, Role.USER, Text("Thanks.")),
)


def test_a_pruned_result_is_seen_as_its_call_lets_it_be_sent() -> None:
    short = tuple(PrunedResult(f"m{n}", "clear", "[cleared]") for n in (2, 3))
    assert compare(*EXCHANGE, Prune(id="p", at=1.0, trigger=Trigger.USER, results=short))


def test_a_compaction_that_archives_nothing_stands_where_it_was_made() -> None:
    """It writes another summary, and names no message."""
    compaction = Compaction(id="c0", at=1.0, trigger=Trigger.USER, strategy="edited", archived=(), summary="S")
    assert compare(*EXCHANGE[:5], compaction, EXCHANGE[5])


def test_a_pin_that_a_compaction_did_not_know_takes_the_whole_record() -> None:
    """It keeps the results beside it in the view, which the outline cannot tell."""
    archived = tuple(message.id for message in EXCHANGE[:5])
    compaction = Compaction(id="c0", at=1.0, trigger=Trigger.USER, strategy="edited", archived=archived, summary="S")
    undo, redo = Undo(id="u0", at=1.0, entry_id="c0"), Undo(id="u1", at=1.0, entry_id="u0")
    pin = Pin(id="p0", at=1.0, message_id="m2")
    assert compare(*EXCHANGE, compaction)
    assert compare(*EXCHANGE, compaction, undo, pin)
    assert not compare(*EXCHANGE, compaction, undo, pin, redo)


@pytest.mark.long
def test_messages_are_those_of_the_current_branch_wherever_branches_part() -> None:
    for first in ("m0", "m4", "m5"):
        rewind = Rewind(id="b1", at=1.0, first_message_id=first)
        new, flush = said(6, Role.USER, Text("Again.")), Flush(id="f0", at=1.0, memories=("m",))
        assert compare(*EXCHANGE, rewind)
        assert compare(*EXCHANGE, flush, rewind, new)
        assert compare(*EXCHANGE, rewind, new, flush, Switch(id="s0", at=1.0, branch=""))
