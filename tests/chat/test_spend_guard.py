"""Models are asked for summaries only so often without the user's word; after that code writes them, and says so."""

from __future__ import annotations

import re
import time

from msgspec.structs import replace
from test_summarize import answer, chat

from desktop_app.chat.compaction.summary_service import SummaryService
from desktop_app.context.policy import BALANCED
from desktop_app.conversation.events import OperationRow, ViewChanged
from desktop_app.conversation.transcript import Trigger
from provider import Reply
from summary_prompts import PROMPTS


def rows_of(home) -> list[OperationRow]:
    return [row for changed in home.of(ViewChanged) for row in changed.operations]


async def test_after_so_many_code_writes_in_every_conversation_and_says_until_when(house) -> None:
    home = await house([answer(), answer(), Reply("Here."), Reply("There.")], prompts=PROMPTS)
    once = replace(BALANCED, spend_most=1)
    for title in ("One", "Two"):
        session = await home.chats.create(title, chat(70))
        session.policy = once
        await home.turn(session, "Where are we?")
    first, second = [row for row in rows_of(home) if row.kind == "compaction"]
    assert (first.strategies.keys(), first.note) == ({"llm"}, "")
    assert second.strategies.keys() == {"extractive"}
    said = re.fullmatch(
        r"Summaries by a model are paused until (\d\d:\d\d): 1 were started within 10 minutes\.", second.note
    )
    assert said is not None, second.note
    ends = {time.strftime("%H:%M", time.localtime(time.time() + seconds)) for seconds in (480, 540, 600, 660)}
    assert said[1] in ends
    assert len(home.provider.requests) == 4, "two for the summary, and those of the turns"


async def test_the_twenty_fifth_waits_and_the_users_own_never_does(house) -> None:
    home = await house([Reply("Here.")], prompts=PROMPTS)
    session = await home.chats.create("Long", chat())
    now = [1_000_000.0]
    scribe = SummaryService(home.chats.models, lambda: home.chats.settings, lambda: PROMPTS, lambda: now[0])

    async def automatic() -> str:
        return (await scribe.request_for(session, trigger=Trigger.AFTER_TURN)).strategy

    for _ in range(24):
        assert await automatic() == "llm"
        now[0] += 20
    assert await automatic() == "extractive"
    assert (await scribe.request_for(session)).strategy == "llm", "what a plan begins with"
    assert (await scribe.request_for(session, "llm")).strategy == "llm", "asked for by hand"
    assert (await scribe.request_for(session, trigger=Trigger.USER)).strategy == "llm"
    now[0] = 1_000_000.0 + 600
    assert await automatic() == "llm", "the first is ten minutes ago"
    assert await automatic() == "extractive", "the second is not"
