"""What a research has come to: the message that is stored in the end, made of the record of its session.

The message names a model of its own ("server/name (research)"): what a provider reported for many requests beside the
record says nothing of the size of the conversation's own.
"""

from __future__ import annotations

import asyncio
import time
import uuid

from desktop_app.chat.ports import Spills, WorldError
from desktop_app.chat.session import Session
from desktop_app.context.citations import CitedSource, check_citations
from desktop_app.context.text_cuts import head_of
from desktop_app.conversation.message import Message, Reasoning, Role, Text, Usage
from desktop_app.conversation.totals import add_usage

from .research_role import Researcher
from .research_tool_calls import Found, seen_in

ANSWER_SHARE = 0.25
"""Of the chat's usable window, for an answer: what is longer is cut there, and kept whole with what was read."""
NO_ANSWER = "[The research ended before it came to an answer.]"


class ResearchReply:
    """The reply that the window shows, over all rounds. found: what the calls have brought, as they ended."""

    def __init__(self, session: Session, who: Researcher) -> None:
        self._session = session
        self._model = f"{who.model.info.record_name} (research)"
        self._note = who.note
        self._started_at = time.time()
        self.id = uuid.uuid4().hex
        self.found: list[Found] = []
        # Whether the newest reply is the answer.
        self.is_whole = False

    async def keep(self, side: Session, partial: Message) -> None:
        """Keep what is there, in case that the engine ends now. Raises ArchiveError."""
        said = [reply.text for reply in _replies(side) if reply.text.strip()]
        await self._session.archive.store_partial(self._session.id, self._message(said, partial.text, None))

    async def message(self, side: Session, spills: Spills) -> Message | None:
        """Return the message that is stored: the answer with its sources, or what was there when it ended early; None
        if there is nothing. side: the session of the research."""
        replies, text = _replies(side), ""
        if replies and (self.is_whole or not replies[-1].tool_calls):
            text = replies.pop().text.strip()
        said = [reply.text.strip() for reply in replies if reply.text.strip()]
        if not (text or said or self.found):
            return None
        text = text or NO_ANSWER
        cited = await asyncio.to_thread(check_citations, text, seen_in(self.found))
        short = await asyncio.to_thread(self._cut, cited.text)
        tail = [self._note, list_sources(cited.sources)] if self.is_whole else [self._note]
        if self.found or short != cited.text:
            tail.append(await self._store_whole(spills, said, text))
        return self._message(said, "\n\n".join(filter(None, (short, *tail))), self.usage(side))

    def usage(self, side: Session) -> Usage | None:
        """Return what its requests took together."""
        usage = None
        for reply in _replies(side):
            usage = add_usage(usage, reply.usage)
        return usage

    def _cut(self, text: str) -> str:
        most = round(self._session.budget.usable * ANSWER_SHARE)
        tokens = self._session.counts.text(text)
        return text if tokens <= most else head_of(text, len(text) * most // tokens) + "…"

    async def _store_whole(self, spills: Spills, said: list[str], answer: str) -> str:
        """Store all that was said and read, and return where."""
        sources = [f"{one.call.name} {one.call.arguments}\n\n{one.text}" for one in self.found]
        try:
            name = await spills.keep("\n\n---\n\n".join([*sources, *said, answer]))
        except WorldError as error:
            return f"[What was read could not be kept: {error.failure.title}]"
        count = f"{len(self.found)} result" + ("" if len(self.found) == 1 else "s")
        return f'[What was searched and read ({count}) is kept as {name}; to look: read {{"path": "{name}"}}.]'

    def _message(self, said: list[str], text: str, usage: Usage | None) -> Message:
        return Message(
            id=self.id,
            at=self._started_at,
            role=Role.ASSISTANT,
            parts=(*((Reasoning("\n\n".join(said)),) if said else ()), Text(text)),
            model=self._model,
            is_interrupted=not self.is_whole,
            usage=usage,
            seconds=time.time() - self._started_at,
        )


def _replies(side: Session) -> list[Message]:
    return [e for e in side.transcript.entries if isinstance(e, Message) and e.role is Role.ASSISTANT]


def list_sources(sources: tuple[CitedSource, ...]) -> str:
    """Return the list below an answer; "" for none."""
    lines = [f"- {source.url}" + ("" if source.is_read else " (found, not read)") for source in sources]
    return "\n".join(["Sources:", *lines]) if lines else ""
