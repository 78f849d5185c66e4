"""The calls of one round of a research: run like those of any reply, but their results stay beside the record."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection

import msgspec

from desktop_app.chat.ports import Emit
from desktop_app.chat.session import Session
from desktop_app.chat.stamp import stamp
from desktop_app.chat.turn.tool_calls import ToolCalls
from desktop_app.chat.turn.tool_runtime import ToolRuntime
from desktop_app.context.citations import SeenUrls, urls_in
from desktop_app.context.truncate import truncate_result
from desktop_app.conversation.message import Message, Role, ToolCall, ToolResult
from desktop_app.conversation.tools import ToolOutcome

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
    """The calls of one round. asking: the conversation, whose permissions hold. names: the tools on offer.

    found: what has come back is added to it.
    """

    def __init__(
        self,
        session: Session,
        tools: ToolRuntime,
        emit: Emit,
        reply: Message,
        asking: Session,
        names: Collection[str],
        found: list[Found],
    ) -> None:
        super().__init__(session, tools, emit, reply)
        self._asking = asking
        self._names = names
        self._found = found

    async def _changes(self, call: ToolCall) -> bool:
        """Return False: all of them only look."""
        return False

    async def _refusal(self, call: ToolCall) -> str:
        """Refuse what is not on offer, whatever the user allows in conversations."""
        if call.name not in self._names:
            return f"There is no tool named {call.name} here. There are: {', '.join(self._names) or 'none'}."
        return await self._tools.refusal(self._asking, call, self._emit)

    async def _result_message(self, call: ToolCall, outcome: ToolOutcome, seconds: float) -> Message:
        """Return the result as the model gets it. The whole text is kept once, with all others."""
        self._found.append(Found(call, outcome.text, outcome.is_error))
        cut = await asyncio.to_thread(truncate_result, outcome.text, call.name, self._session.policy, False)
        result = ToolResult(call.call_id, call.name, cut.text, outcome.is_error)
        return stamp(Message(role=Role.TOOL, parts=(result,), seconds=seconds))
