"""What a research has found, and what it has come to: the message that is stored in the end.

The message names a model of its own ("server/name (research)"): what a provider reported for many requests beside the
record says nothing of the size of the conversation's own.
"""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Collection
from functools import reduce

import msgspec

from desktop_app.chat.complete import RoleModel
from desktop_app.chat.ports import Emit, Spills, WorldError
from desktop_app.chat.session import Session
from desktop_app.chat.stamp import stamp
from desktop_app.chat.turn.tool_calls import ToolCalls
from desktop_app.chat.turn.tool_runtime import ToolRuntime
from desktop_app.context.citations import CitedSource, SeenUrls, check_citations, urls_in
from desktop_app.context.text_cuts import head_of
from desktop_app.context.truncate import truncate_result
from desktop_app.conversation.message import Message, Reasoning, Role, Text, ToolCall, ToolResult, Usage, add_usage
from desktop_app.conversation.tools import ToolOutcome
from desktop_app.conversation.words import translatable

NO_ANSWER = "[The research ended before it came to an answer.]"


FETCH = "web_fetch"
_READ = re.compile(r"\[(https?://\S+): from the web")
"""How a page says where it comes from, behind all redirections."""


class Found(msgspec.Struct, frozen=True):
    """A call and the whole text that it brought."""

    call: ToolCall
    text: str
    is_error: bool

    @property
    def read(self) -> tuple[str, ...]:
        """The address of the page that was read, as it was asked for and as it was in the end."""
        if self.call.name != FETCH or self.is_error:
            return ()
        return (*_READ.findall(self.text[:2_000])[:1], *urls_in(self.call.arguments))


def seen_in(found: Collection[Found]) -> SeenUrls:
    """Return all addresses that came up. What an error quotes was not found."""
    read = (url for one in found for url in one.read)
    named = (url for one in found if not one.is_error for url in urls_in(one.text))
    return SeenUrls(tuple(dict.fromkeys(read)), tuple(dict.fromkeys(named)))


class ResearchToolCalls(ToolCalls):
    """The calls of one round: run like those of any reply, but their results stay beside the record.

    asking: the conversation, whose permissions hold. found: what has come back is added to it.
    """

    def __init__(
        self, session: Session, tools: ToolRuntime, emit: Emit, reply: Message, asking: Session, found: list[Found]
    ) -> None:
        super().__init__(session, tools, emit, reply)
        self._asking = asking
        self._found = found

    async def _changes(self, call: ToolCall) -> bool:
        """Return False: all of them only look."""
        return False

    async def _refusal(self, call: ToolCall) -> str:
        """Refuse what is not on offer, whatever the user allows in conversations."""
        names = [spec.name for spec in self._session.view.tools]
        if call.name not in names:
            return f"There is no tool named {call.name} here. There are: {', '.join(names)}."
        return await self._tools.refusal(self._asking, call, self._emit)

    async def _result_message(self, call: ToolCall, outcome: ToolOutcome, seconds: float) -> Message:
        """Return the result as the model gets it. The whole text is kept once, with all others."""
        self._found.append(Found(call, outcome.text, outcome.is_error))
        cut = await asyncio.to_thread(truncate_result, outcome.text, call.name, self._session.policy, False)
        result = ToolResult(call.call_id, call.name, cut.text, outcome.is_error)
        return stamp(Message(role=Role.TOOL, parts=(result,), seconds=seconds))


class ResearchReply:
    """The reply that the window shows, over all rounds. found: what the calls have brought, as they ended."""

    def __init__(self, session: Session, role: RoleModel) -> None:
        self._session = session
        info = role.model.info
        self._model = f"{info.record_name} (research)"
        self._note = (
            translatable("{why}: {model} answered instead.").format(why=role.why_replaced, model=info.label)
            if role.replaces
            else ""
        )
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
        usage = reduce(add_usage, (reply.usage for reply in _replies(side)), None)
        return self._message(said, "\n\n".join(filter(None, (short, *tail))), usage)

    def _cut(self, text: str) -> str:
        """Cut an answer that is too long for the conversation: it is kept whole with what was read."""
        most = round(self._session.budget.usable * self._session.policy.research_answer_share)
        tokens = self._session.provider_tokens(self._session.counts.text(text))
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
