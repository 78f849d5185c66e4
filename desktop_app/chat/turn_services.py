"""The services that a turn uses in addition to its session, created once by the composition root."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Recalled, Trigger
from desktop_app.settings import Settings

from .compaction.summarize import SummaryRequest, SummaryService
from .memory_flusher import MemoryFlusher
from .ports import ModelCatalogue
from .session import Session
from .spending import MoneyLimits
from .turn.tool_runtime import ToolRuntime

Recall = Callable[[Session, Message], Awaitable[Recalled | None]]
"""Returns archived content about a message that the view lacks; None if it is not worth its tokens."""


@dataclass(frozen=True)
class Services:
    """Shared by all turns. A service that is None is not available."""

    models: ModelCatalogue
    # Returns the current settings.
    settings: Callable[[], Settings]
    summaries: SummaryService
    # Called with an unexpected exception.
    on_bug: Callable[[BaseException], None]
    tools: ToolRuntime | None = None
    memory: MemoryFlusher | None = None
    recall: Recall | None = None
    money: MoneyLimits | None = None
    # Read the system prompts of tasks other than the chat.
    read_image_prompt: Callable[[], str] | None = None
    read_research_prompt: Callable[[], str] | None = None
    read_title_prompt: Callable[[], str] | None = None

    async def summary_request(self, session: Session, trigger: Trigger) -> SummaryRequest:
        """Return the request for a summary on this occasion; limits of money apply unless the user asked for it."""
        request = await self.summaries.request_for(session.counter, trigger=trigger)
        if self.money is None or trigger is Trigger.USER:
            return request
        return replace(request, why_too_dear=partial(self.money.why_no_summary, session))
