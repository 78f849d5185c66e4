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

from desktop_app.archive.archive import ArchiveThread
from desktop_app.chat.glance import Glance
from desktop_app.chat.session import Session
from desktop_app.context.counting.tokens import TokenCounts
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.listing import ConversationInfo, ModelInfo
from desktop_app.conversation.surrogates import replace_surrogates
from desktop_app.conversation.transcript import ConversationLink, Flush, Pin
from examples import examples
from fake_model import FakeModel
from provider import ScriptedProvider

INFO = ConversationInfo("c", "A conversation", created_at=1.0, updated_at=1.0)
MODEL = ModelInfo("scripted/scripted", "Scripted", 8_192, 1_000)


class GlancedConversation(Conversation):
    """At the end of each history, pages of all sizes are compared."""

    @rule(kind=st.sampled_from(["flush", "link"]))
    def note_what_has_a_mark(self, kind: str) -> None:
        """What is shown behind the message that came before it, in whatever branch."""
        flush = Flush(memories=("m",), texts=("Ann likes tea.",))
        self.add(flush if kind == "flush" else ConversationLink(conversation="d", title="Another"))

    def teardown(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(self.compare(Path(folder)))

    async def compare(self, folder: Path) -> None:
        entries = tuple(map(replace_surrogates, self.transcript.entries))
        archive = await ArchiveThread.open(folder / "archive.sqlite3")
        try:
            await archive.create(INFO, entries)
            model = FakeModel(MODEL, ScriptedProvider([]))
            outline = await archive.record_outline("c")
            assert outline is not None
            glance = Glance(archive, INFO, outline, MODEL, TokenCounts(model.tokenizer, MODEL.dialect))
            if glance.is_certain:
                await look_at_all(glance, Session(INFO, await archive.entries("c"), model, BALANCED, archive))
            else:
                assert any(isinstance(entry, Pin) for entry in entries)
        finally:
            await archive.close()


async def look_at_all(glance: Glance, session: Session) -> None:
    assert glance.total == session.total
    assert glance.operations() == session.operations()
    assert glance.other_versions() == session.other_versions()
    assert await glance.pins() == session.pins()
    for limit in (1, 2, 3, 60):
        for before in range(0, session.total + 2, limit):
            assert await glance.page(before, limit) == session.page(before, limit)
        for message_id in session.recorded.by_id:
            assert await glance.page(0, limit, message_id) == session.page(0, limit, message_id)


TestGlancedConversation = pytest.mark.timeout(600)(GlancedConversation.TestCase)
TestGlancedConversation.settings = settings(max_examples=examples(100), stateful_step_count=20, deadline=None)
