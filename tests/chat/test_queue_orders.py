"""Whatever happens to messages in whatever order: each is sent once or still there, and in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop_app.chat.conversations import Conversations
from desktop_app.conversation.message import Message, MessageDraft, Role
from examples import examples
from provider import Reply, Status

ACTS = st.sampled_from(["send", "send", "send", "now", "edit", "remove", "send_queued", "stop", "wait", "crash"])
SCRIPT = st.lists(st.sampled_from([Reply("Yes. " * 3), Reply("Yes. " * 40, pause=0.001), Status(401)]), min_size=1)


class History:
    """One conversation, and what was done with each message."""

    def __init__(self, home: Any, session: Any) -> None:
        self.home, self.session = home, session
        self.sent: list[str] = []
        self.gone: set[str] = set()
        self.drafted: set[str] = set()
        self.hurried: set[str] = set()

    @property
    def recorded(self) -> list[str]:
        entries = self.session.transcript.entries
        return [entry.text for entry in entries if isinstance(entry, Message) and entry.role is Role.USER]

    async def perform(self, act: str, number: int) -> None:
        turns, queue = self.home.chats.turns, self.home.chats.turns.queue
        waiting = queue.state(self.session.id).queue
        chosen = waiting[number % len(waiting)] if waiting else None
        match act:
            case "send" | "now":
                text = f"m{number}"
                self.sent.append(text)
                if act == "now" or not turns.is_running(self.session.id):
                    self.hurried.add(text)  # it may go before those that wait
                await turns.send(self.session, text, is_now=act == "now")
            case "edit" if chosen is not None:
                if await queue.take_back(self.session.id, chosen.id, MessageDraft()) is not None:
                    self.drafted.add(chosen.draft.text)
            case "remove" if chosen is not None:
                await queue.remove(self.session.id, chosen.id)
                self.gone.add(chosen.draft.text)
            case "send_queued" if chosen is not None:
                self.hurried.add(chosen.draft.text)
                await turns.send_now(self.session, chosen.id)
            case "stop":
                await turns.stop(self.session.id)
            case "crash":
                await self._crash()
            case _:
                await asyncio.sleep(0.003)

    async def _crash(self) -> None:
        chats = self.home.chats
        await chats.turns.stop_all(self.session.id)
        self.home.chats = Conversations(
            self.home.archive, chats.settings, self.home.services, self.home.publish, lambda: None
        )
        self.session = await self.home.chats.open(self.session.id)

    def check(self) -> None:
        waiting = [message.draft.text for message in self.home.chats.turns.queue.state(self.session.id).queue]
        held = [*self.recorded, *waiting, *self.gone, *self.drafted]
        assert sorted(held) == sorted(self.sent), "each once"
        for order in (self.recorded, waiting):
            plain = [text for text in order if text not in self.hurried]
            assert plain == sorted(plain, key=self.sent.index), "in the order in which they were sent"


@given(script=SCRIPT, acts=st.lists(ACTS, min_size=1, max_size=14))
@settings(max_examples=examples(25), deadline=None, suppress_health_check=list(HealthCheck))
async def test_each_message_is_sent_once_or_is_still_there(
    talk: Callable[..., Any], script: list[Any], acts: list[str]
) -> None:
    home, session = await talk(script, repeat_last=True)
    history = History(home, session)
    for number, act in enumerate(acts):
        await history.perform(act, number)
        await asyncio.sleep(0)
    while home.chats.turns.is_busy(history.session.id):
        await asyncio.sleep(0.002)
    history.check()
