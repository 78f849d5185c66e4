"""Conversations, models and search results as lists show them: values about conversations, not their contents."""

from __future__ import annotations

from typing import Literal

import msgspec

from .gauge import Provenance, Status
from .message import Role
from .words import translatable

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


ReturnedReasoning = Literal["", "running", "always"]
"""None; those of the turn under way; those, and a blank for each that is left out."""


class Dialect(msgspec.Struct, frozen=True):
    """What is done to a request before it is counted and sent; see `context/view/dialect.py`."""

    record_name: str = ""
    """How the record names the model: its own provider metadata goes back to it, that of others does not."""
    returns_metadata: bool = True
    returned_reasoning: ReturnedReasoning = ""
    supports_vision: bool = True
    supports_tools: bool = True
    joins_duplicate_calls: bool = False
    """Of calls in one message with the same name and arguments only one is sent, and their results as one."""
    breaks_control_tokens: bool = False
    """Its server would read control tokens of its template in a text as what they say; see control_tokens.py."""
    declares_called_tools: bool = False
    """Calls of tools that are not on offer any more are refused, unless the tools are declared."""


UNTITLED = ("", "New conversation")
"""Titles of a conversation that has none: the record's, and that of records of early versions."""


def title_in_english(title: str) -> str:
    """Return what a conversation is called where the window's language is not known: in files, links and commands."""
    return title or UNTITLED[1]


COPY, CONTINUED = translatable("(copy)"), translatable("(continued)")
"""What the title of a conversation that was made from another one ends in; the window shows it in its language."""


def marked_title(title: str, mark: str) -> str:
    """Return the title of a conversation that is made from one of that title. mark: COPY or CONTINUED."""
    return f"{title_in_english(title)} {mark}"


class ConversationInfo(msgspec.Struct, frozen=True):
    """One line of the sidebar. Times are seconds since 1970, UTC."""

    id: str
    title: str
    created_at: float
    updated_at: float
    messages: int = 0
    model: str = ""
    share: float = 0.0
    """Of the usable window, when last seen."""
    status: Status = Status.SAFE
    folder: str = ""
    """The absolute path in which its tools work, NO_FOLDER for none; "" without a choice: then its project's holds."""
    policy: str = ""
    """The name of its policy; "" for that of its project, or else of the settings."""
    project: str = ""
    """The id of its project; "" for none."""
    is_pinned: bool = False
    """Whether it stands at the top of the list."""
    is_put_away: bool = False
    """Whether it is left out of the list until the user asks for it."""


WindowSource = Literal["", "settings", "server", "earlier", "catalogue", "assumed"]
"""Who says how large a window is: the user, the server now or in an earlier run, litellm's catalogue; nobody."""


class ModelInfo(msgspec.Struct, frozen=True):
    """A model that can be chosen, with its window and longest reply in tokens."""

    id: str
    """"builtin" or "server/model"."""
    label: str
    window: int
    """0 while it is not known."""
    max_output: int
    """0 where nobody says it."""
    window_provenance: Provenance = Provenance.ESTIMATED
    is_builtin: bool = False
    note: str = ""
    """Why it cannot be used now, in words for the user; empty when it can."""
    setting: str = ""
    """Where in the settings that is mended, as of `Failure`; "" where it can be used."""
    supports_tools: bool = True
    supports_vision: bool = False
    window_source: WindowSource = ""
    window_reported_at: float = 0.0
    """When its server reported the window, if that was in an earlier run and it has not answered since; else 0."""
    returned_reasoning: ReturnedReasoning = ""
    """Which of its reasoning goes back to it with its calls."""
    joins_duplicate_calls: bool = False
    declares_called_tools: bool = False
    breaks_control_tokens: bool = False

    @property
    def record_name(self) -> str:
        """How the record names it: unique, and what stands behind the last slash is for people."""
        return self.id if "/" in self.id else f"{self.id}/{self.label}"

    @property
    def dialect(self) -> Dialect:
        """What is done to a request before it is sent to the model."""
        return Dialect(
            self.record_name,
            returned_reasoning=self.returned_reasoning,
            supports_vision=self.supports_vision,
            supports_tools=self.supports_tools,
            joins_duplicate_calls=self.joins_duplicate_calls,
            declares_called_tools=self.declares_called_tools,
            breaks_control_tokens=self.breaks_control_tokens,
        )


class SwitchPreview(msgspec.Struct, frozen=True):
    """What using another model would mean for a conversation, in tokens as that model counts."""

    verdict: Literal["fits", "compact", "too_small", "unknown"]
    """"unknown": the model's window is. "too_small": not even what must stay would fit."""
    total: int
    """Of the request as it is now."""
    usable: int = 0
    after: int = 0
    """Of the request after the compaction that would be proposed."""


class SearchResult(msgspec.Struct, frozen=True):
    """A message that was found."""

    conversation: str
    title: str
    message: str
    index: int
    """Its position in its conversation."""
    role: Role
    archived: bool
    snippet: str
    """The text around the match, the found words between « and »."""
    score: float
    """Higher is better."""
    at: float = 0.0
