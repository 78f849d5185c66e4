"""The calls of one round of a research: run like those of any reply, but their results stay beside the record."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection

import msgspec

from desktop_app.chat.session import Session, stamped
from desktop_app.chat.turn.tool_calls import Calls
from desktop_app.chat.turn.tool_runtime import ToolRuntime
from desktop_app.context.citations import SeenUrls, urls_in
from desktop_app.context.policy import ContextPolicy
from desktop_app.context.truncate import truncate_result
from desktop_app.conversation.events import ToolFinished
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult
from desktop_app.conversation.tools import ToolOutcome

FETCH = "web_fetch"
_READ = re.compile(r"\[(https?://\S+): from the web")
"""How a page says where it comes from, behind all redirections."""


class Found(msgspec.Struct, frozen=True):
    """A call and what it brought. text: whole; message: the result as the model gets it."""

    call: ToolCall
    text: str
    is_error: bool
    message: Message

    @property
    def read(self) -> tuple[str, ...]:
        """The address of the page that was read, as it was asked for and as it was in the end."""
        if self.call.name != FETCH or self.is_error:
            return ()
        return (*_READ.findall(self.text[:2_000])[:1], *urls_in(self.call.arguments))


def seen_in(found: Collection[Found]) -> SeenUrls:
    """All addresses that came up. What an error quotes was not found."""
    read = (url for one in found for url in one.read)
    told = (url for one in found if not one.is_error for url in urls_in(one.text))
    return SeenUrls(tuple(dict.fromkeys(read)), tuple(dict.fromkeys(told)))


class ResearchToolCalls(Calls):
    """The calls of one round. policy: fitted to the window of the model that asks. names: the tools on offer to it.

    found: what has come back, by the call's place; every call of the round is in it once `run` or `closed` is over.
    """

    def __init__(
        self, session: Session, bench: ToolRuntime, reply: Message, policy: ContextPolicy, names: Collection[str]
    ) -> None:
        super().__init__(session, bench, reply)
        self._policy = policy
        self._names = names
        self.found: dict[int, Found] = {}

    async def _changes(self, call: ToolCall) -> bool:
        """All of them only look."""
        return False

    async def _refusal(self, call: ToolCall) -> str:
        """What is not on offer is not run, whatever the user allows in conversations."""
        if call.name not in self._names:
            return f"There is no tool named {call.name} here. There are: {', '.join(self._names) or 'none'}."
        return await super()._refusal(call)

    async def _record(self, place: int, call: ToolCall, outcome: ToolOutcome, seconds: float) -> None:
        cut = await asyncio.to_thread(truncate_result, outcome.text, call.name, self._policy, False)
        result = ToolResult(call.call_id, call.name, cut.text, outcome.is_error)
        message = stamped(Message(role=Role.TOOL, parts=(result,), seconds=seconds))
        self.found[place] = Found(call, outcome.text, outcome.is_error, message)
        self._answered.add(place)
        size = len(outcome.text.encode(errors="replace"))
        told = (self._session.id, call.call_id, self._reply.id, call.name, outcome.is_error, seconds, size)
        self._told.put_nowait(ToolFinished(*told, self._reply.id, place))
