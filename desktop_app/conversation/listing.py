"""Conversations, models and search results for lists: values about conversations, not their contents."""

from __future__ import annotations

from typing import Literal, TypedDict

import msgspec

from . import quirks
from .gauge import Provenance, Status
from .message import ProviderSummary, Role
from .quirks import Learned
from .setup import ConversationSetup
from .words import translatable

SEARCH_LIMIT = 50  # default maximum of messages found by a search


class SearchFilters(msgspec.Struct, frozen=True, omit_defaults=True):
    """Conditions for a message besides containing the words; by default, every message meets them."""

    project: str = ""
    """The id of its conversation's project; "" for any."""
    since: float = 0.0
    """Earliest time, in seconds since 1970; 0 for any time."""
    until: float = 0.0
    """Time before which it was recorded, in seconds since 1970; 0 for any time."""
    role: Role | None = None
    model: str = ""
    """A part of its model's name, ignoring case; "" for any."""
    tool: str = ""
    """The name of a tool that it calls, or whose result it is, ignoring case; "" for any."""
    has_code: bool = False
    """Whether it must contain a code block."""


NO_FILTERS = SearchFilters()


class SearchValues(msgspec.Struct, frozen=True):
    """Possible values of filters: the models and tools of all messages, in alphabetical order."""

    models: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


ReturnedReasoning = Literal["", "running", "always", "all", "every", "tagged"]
"""Reasoning that is returned to a model: none; of the running turn, with calls; also a blank for each one left out; of
all replies with calls; of all replies; or of all replies, in their text, between tags."""


class Dialect(msgspec.Struct, frozen=True):
    """Changes to a request before it is counted and sent; see `context/view/dialect.py`."""

    record_name: str = ""
    """The model's name in the record: only its own provider metadata is returned to it."""
    returns_metadata: bool = True
    returned_reasoning: ReturnedReasoning = ""
    supports_vision: bool = True
    supports_tools: bool = True
    joins_duplicate_calls: bool = False
    """Whether calls in one message with the same name and arguments are sent as one, with one result."""
    breaks_control_tokens: bool = False
    """Whether its server would interpret control tokens of its template in a text; see `break_control_tokens`."""
    declares_called_tools: bool = False
    """Whether it refuses calls of tools that are no longer offered, unless the tools are declared."""
    max_description: int = 0
    """Characters of a tool's description that its provider accepts; 0 for no limit."""
    quirks: tuple[str, ...] = ()
    """See `conversation/quirks.py`."""
    left_out: frozenset[int] = frozenset()
    """Pictures that are replaced by a line: see `context/view/unsent_pictures.py`."""

    @property
    def writes_calls_as_text(self) -> bool:
        """Whether calls and results are sent as text: a template without tools would drop them."""
        return not self.supports_tools or quirks.CALLS_AS_TEXT in self.quirks or quirks.ALTERNATING in self.quirks


UNTITLED = ("", "New conversation")
"""Titles of an untitled conversation: the current one, and the one of early versions."""


def title_in_english(title: str) -> str:
    """Return the title of a conversation for files, links and commands, which are in English."""
    return title or UNTITLED[1]


COPY, CONTINUED = translatable("(copy)"), translatable("(continued)")
"""Endings of titles of conversations made from another one, which the window translates."""


def marked_title(title: str, mark: str) -> str:
    """Return the title of a conversation that is made from one with the title. mark: COPY or CONTINUED."""
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
    """The used share of the usable window, when last known."""
    status: Status = Status.SAFE
    folder: str = ""
    """The absolute path in which its tools work, NO_FOLDER for none; "" for its project's."""
    policy: str = ""
    """The name of its policy; "" for its project's, or otherwise the settings'."""
    project: str = ""
    """The id of its project; "" for none."""
    is_pinned: bool = False
    """Whether it is at the top of the list."""
    is_put_away: bool = False
    """Whether it is hidden in the list until requested."""


WindowSource = Literal["", "settings", "server", "earlier", "catalogue", "assumed"]
"""The source of a window's size: the user, the server now or in an earlier run, litellm's catalogue; or none."""


ProviderForm = Literal["", "readable", "encrypted"]
"""The form of a summary by a model's provider itself; "" if it writes none."""


def form_of(summary: ProviderSummary | None) -> ProviderForm:
    """Return the form of a summary; "" if no provider wrote it itself."""
    return "" if summary is None else "readable" if summary.readable else "encrypted"


class ModelInfo(msgspec.Struct, frozen=True):
    """A model that can be chosen, with its window and longest reply in tokens."""

    id: str
    """"builtin" or "server/model"."""
    label: str
    window: int
    """0 if unknown."""
    max_output: int
    """0 if unknown."""
    window_provenance: Provenance = Provenance.ESTIMATED
    is_builtin: bool = False
    note: str = ""
    """Why it cannot be used now, in words for the user; "" if it can."""
    setting: str = ""
    """The setting that fixes this, as in `Failure`; "" if it can be used."""
    supports_tools: bool = True
    supports_vision: bool = False
    window_source: WindowSource = ""
    window_reported_at: float = 0.0
    """Time of the server's report of the window, if it was in an earlier run without an answer since; otherwise 0."""
    returned_reasoning: ReturnedReasoning = ""
    """The reasoning that is returned to it with its calls."""
    joins_duplicate_calls: bool = False
    declares_called_tools: bool = False
    max_description: int = 0
    breaks_control_tokens: bool = False
    patience: int | None = None
    """Seconds that its server may take before the first token; 0 for as long as it takes, None for the usual limits."""
    quirks: tuple[str, ...] = ()
    """See `conversation/quirks.py`."""
    max_window: int = 0
    """Tokens that the user wants to use of its window; 0 for the policy's number."""
    learned: Learned = Learned()
    """The part of these, and of the window, that refusals have taught."""
    cache_seconds: int | None = 300
    """Seconds for which its provider keeps the beginning of a request after its last use; 0 for not at all, None for no
    end, as on a local server until another conversation uses it."""
    summary_form: ProviderForm = ""
    """The form of the summaries that its provider writes itself."""
    may_cache_an_hour: bool = False
    """Whether the user may choose between five minutes and an hour."""

    @property
    def record_name(self) -> str:
        """Its unique name in the record; the part after the last slash is for people."""
        return self.id if "/" in self.id else f"{self.id}/{self.label}"

    @property
    def provider_form(self) -> ProviderForm:
        """The form of the summaries that its provider writes itself; "" if it refuses them in requests."""
        return "" if quirks.TEXT_SUMMARIES in self.quirks else self.summary_form

    @property
    def dialect(self) -> Dialect:
        """Changes to a request before it is sent to the model."""
        return Dialect(
            self.record_name,
            returned_reasoning=self._returned_reasoning(),
            supports_vision=self.supports_vision,
            supports_tools=self.supports_tools and quirks.NO_TOOLS not in self.quirks,
            joins_duplicate_calls=self.joins_duplicate_calls,
            declares_called_tools=self.declares_called_tools,
            max_description=self.max_description,
            breaks_control_tokens=self.breaks_control_tokens,
            quirks=self.quirks,
        )

    def _returned_reasoning(self) -> ReturnedReasoning:
        if quirks.NO_REASONING in self.quirks:
            return ""
        if quirks.EVERY_REASONING in self.quirks:
            return "every"
        return "all" if quirks.ALL_REASONING in self.quirks else self.returned_reasoning


class CacheReset(msgspec.Struct, frozen=True):
    """What a change costs that alters the beginning of the next request, which the provider has cached."""

    tokens: int
    """Cached tokens, which would be read again."""
    until: float = 0.0
    """Seconds since 1970 at which they expire by themselves; 0 for never."""
    dollars: float | None = None
    """US dollars for the prompt of the next request as things are; None if the price is not known."""
    dollars_after: float | None = None
    """The same after the change."""


class SwitchPreview(msgspec.Struct, frozen=True):
    """The effect of another model on a conversation, in that model's tokens."""

    verdict: Literal["fits", "compact", "too_small", "unknown"]
    """"unknown": the model's window is unknown. "too_small": not even the messages that must stay would fit."""
    total: int
    """Tokens of the present request."""
    usable: int = 0
    after: int = 0
    """Tokens of the request after the compaction that would be proposed."""
    reset: CacheReset | None = None
    """What the switch costs because this model has not cached the conversation; None if that is little."""


class OtherWay(msgspec.Struct, frozen=True):
    """The way of having the messages read that was not chosen, with its upper bounds."""

    calls: int
    prompt_tokens: int
    dollars: float | None
    """US dollars; None if the price is not known."""


class Writer(msgspec.Struct, frozen=True):
    """The model that would write the summary, and upper bounds of what it would use."""

    label: str = ""
    refusal: str = ""
    """Why it cannot write the summary, as text for the user; "" if it can."""
    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    """Both summed over all calls, without a repair."""
    dollars: float | None = None
    """US dollars; None if the price is not known."""
    cached_tokens: int = 0
    """Of the prompt, read from the provider's cache, since it is the conversation's own request."""
    other_way: OtherWay | None = None
    """What is done if the provider does not write the summary; otherwise, if cached_tokens is 0, asking behind the
    conversation's own request; otherwise, sending the messages as text."""
    why_text: str = ""
    """Why the messages are sent as text; "" if they are not."""
    cheaper: str = ""
    """The id of a configured model that would write it for less than half the price; "" if there is none, or if the
    settings name a model for summaries."""
    cheaper_label: str = ""
    cheaper_dollars: float = 0.0
    provider_form: ProviderForm = ""
    """The form in which its provider would write the summary itself; "" if the model is asked for it."""


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
    is_by_meaning: bool = False
    """Whether it has none of the query's words, but others that mean nearly the same."""


class Changes(TypedDict, total=False):
    """Changes of a conversation other than to its record."""

    title: str
    model: str
    folder: str
    """"" for none."""
    policy: str
    setup: ConversationSetup
    project: str
    """Its id; "" for none."""
    is_pinned: bool
    is_put_away: bool
    is_deleted: bool
