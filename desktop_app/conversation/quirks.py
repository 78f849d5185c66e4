"""Quirks: how the requests of one model differ from the format that its server speaks. Pure.

They are known from the model's name, reported with its server's template, or learned from the error of a refused
request (`models/errors/cures.py`), and then kept with the model's last known capabilities.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

MAX_COMPLETION_TOKENS = "max_completion_tokens"
"""The longest reply is called `max_completion_tokens`, not `max_tokens`."""
MAX_TOKENS = "max_tokens"
"""The longest reply is called `max_tokens`, where litellm writes `max_completion_tokens`."""
NO_TOOLS = "no_tools"
"""Tools are refused; earlier calls are written as text."""
CALLS_AS_TEXT = "calls_as_text"
"""Calls and results in the history are refused or dropped by the template, and are written as text."""
ALTERNATING = "alternating"
"""The user and the assistant have to alternate, and there are no other roles."""
NO_SYSTEM = "no_system"
"""The system prompt is refused, and begins the first message of the user instead."""
ONE_CALL = "one_call"
"""A reply may have one call only: several are sent as several replies."""
TEXT_WITH_RESULT = "text_with_result"
"""The template drops the text of a reply with calls, which is sent with the result of its first call instead."""
NO_USER_AFTER_TOOL = "no_user_after_tool"
"""A message of the user may not follow a tool's directly."""
ALL_REASONING = "all_reasoning"
"""Reasoning has to be returned with each reply that has calls, also of earlier turns."""
EVERY_REASONING = "every_reasoning"
"""Reasoning has to be returned with each reply."""
NO_REASONING = "no_reasoning"
"""The field with returned reasoning is refused."""
SIGNATURES = "signatures"
"""Calls without a signature, which other models wrote, need Google's placeholder for one."""
SHORT_IDS = "short_ids"
"""The ids of calls have to be of nine letters and digits, as Mistral's are."""
TEXT_SUMMARIES = "text_summaries"
"""A summary in the provider's own form is refused, and is sent as text."""
WITHOUT = "without "
"""The beginning of a quirk that names a field of requests which is refused."""

PICTURES = "pictures "
"""The beginning of a quirk that has the number of pictures that a request may have."""

OPPOSITES = (
    {MAX_COMPLETION_TOKENS, MAX_TOKENS},
    {ALL_REASONING, NO_REASONING},
    {EVERY_REASONING, NO_REASONING},
)
"""Pairs of which the one that was learned last counts."""
NOT_KEPT = (NO_TOOLS,)
"""Quirks that are forgotten with the run: a server may be restarted with tools."""


class Learned(msgspec.Struct, frozen=True, omit_defaults=True):
    """What refusals of a model's server have taught about it. window: in tokens; 0 if none named one."""

    window: int = 0
    quirks: tuple[str, ...] = ()


def pictures_accepted(quirks: Iterable[str]) -> int | None:
    """Return the number of pictures that a request may have; None if no refusal named it."""
    numbers = [int(quirk.removeprefix(PICTURES)) for quirk in quirks if quirk.startswith(PICTURES)]
    return numbers[-1] if numbers else None


def with_quirk(quirks: Iterable[str], learned: str) -> tuple[str, ...]:
    """Return the quirks with a learned one, and without its opposites."""
    opposites = set[str]().union(*(pair for pair in OPPOSITES if learned in pair))
    if learned.startswith(PICTURES):
        quirks = [quirk for quirk in quirks if not quirk.startswith(PICTURES)]
    return (*(quirk for quirk in quirks if quirk not in opposites and quirk != learned), learned)


def refused_fields(quirks: Iterable[str]) -> tuple[str, ...]:
    """Return the fields of requests that are refused."""
    return tuple(quirk.removeprefix(WITHOUT) for quirk in quirks if quirk.startswith(WITHOUT))
