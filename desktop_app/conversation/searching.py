"""What is searched for beside words: who said it, when, where, by which model, with which tool."""

from __future__ import annotations

import msgspec

from .message import Role

SEARCH_LIMIT = 50  # messages that one search finds, unless it asks for another number


class SearchFilters(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a message must be besides holding the words; the defaults hold for every message."""

    project: str = ""
    """The id of the project that its conversation is in."""
    since: float = 0.0
    """Seconds since 1970: it was said then or later; 0 for any time."""
    until: float = 0.0
    """It was said before; 0 for any time."""
    role: Role | None = None
    model: str = ""
    """A part of the name of the model that wrote it, letters of either case."""
    tool: str = ""
    """The name of a tool that it calls, or whose result it is, letters of either case."""
    has_code: bool = False
    """Whether it holds a block of code."""


NO_FILTERS = SearchFilters()


class SearchValues(msgspec.Struct, frozen=True):
    """What filters may name: the models and the tools of all messages, in alphabetical order."""

    models: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
