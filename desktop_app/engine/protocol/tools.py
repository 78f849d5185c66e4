"""Tools, whole outputs, and what is remembered."""

from __future__ import annotations

import msgspec

from desktop_app.conversation.events import Failure
from desktop_app.conversation.memory import Memory
from desktop_app.conversation.tools import ToolSpec

from .base import ConversationRequest, EngineRequest, EngineResponse


class ToolOffer(msgspec.Struct, frozen=True):
    """A tool that could be on offer."""

    spec: ToolSpec
    # What its schema takes of each request.
    tokens: int
    # Not switched off in the settings.
    is_on: bool = True


class ToolsListed(EngineResponse, frozen=True):
    """All tools of a conversation, and servers of tools that do not respond."""

    tools: tuple[ToolOffer, ...]
    # What those that are on take of each request together, with what introduces them.
    tokens: int = 0
    folder: str = ""
    failures: tuple[Failure, ...] = ()


class SpillRead(EngineResponse, frozen=True):
    """Lines of a whole output: their numbers, counted from 1, and texts."""

    lines: tuple[tuple[int, str], ...]
    # How many lines there are, or were found.
    total: int
    bytes: int


class MemoriesListed(EngineResponse, frozen=True):
    """What is remembered, oldest first."""

    memories: tuple[Memory, ...]
    # Tokens of the memories in the next request of `conversation`, and the most that they may take.
    tokens: int
    most: int
    # "" for a conversation that does not exist yet.
    conversation: str = ""
    # The working folder of the conversation, and the id of its project; "" for none.
    folder: str = ""
    project: str = ""
    # Whether there are changes that are not in the next request yet: see `record_request_context`.
    is_pending: bool = False


class RecalledFound(EngineResponse, frozen=True):
    """The ids of a message that was recalled, and of its conversation."""

    conversation: str
    message: str


class ListTools(ConversationRequest[ToolsListed], frozen=True): ...


class ReadSpill(EngineRequest[SpillRead], frozen=True):
    """Read lines of a whole output, those with `query` in them if it is given."""

    spill: str
    query: str = ""
    offset: int = 0
    limit: int = 2_000


class ListMemories(EngineRequest[MemoriesListed], frozen=True):
    conversation: str = ""


class WriteMemory(EngineRequest[MemoriesListed], frozen=True):
    """Store a memory; an id that is not known yet makes a new one."""

    memory: Memory
    conversation: str = ""


class FindRecalled(EngineRequest[RecalledFound], frozen=True):
    """Find a message that a result of `recall` names."""

    # How the id of its conversation begins.
    conversation: str
    index: int


ToolRequest = ListTools | ReadSpill | ListMemories | WriteMemory | FindRecalled
