"""The services that turns use in addition to their session: made once by the composition root, shared by all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from desktop_app.conversation.message import Message
from desktop_app.conversation.transcript import Recalled
from desktop_app.settings import Settings

from .compaction.summarize import SummaryService
from .memory_flusher import MemoryFlusher
from .ports import ModelCatalogue
from .session import Session
from .turn.tool_runtime import ToolRuntime

Recall = Callable[[Session, Message], Awaitable[Recalled | None]]
"""Return what the archive holds about that message and the view does not; None if it is not worth bringing back."""


@dataclass(frozen=True)
class Services:
    """The parts that are None are not there: no tools, no memory, and so on."""

    models: ModelCatalogue
    # The settings as they are now.
    settings: Callable[[], Settings]
    summaries: SummaryService
    # Called with an unexpected exception.
    on_bug: Callable[[BaseException], None]
    tools: ToolRuntime | None = None
    memory: MemoryFlusher | None = None
    recall: Recall | None = None
    # These read the system prompts for a model's tasks other than the chat.
    read_image_prompt: Callable[[], str] | None = None
    read_research_prompt: Callable[[], str] | None = None
    read_title_prompt: Callable[[], str] | None = None
