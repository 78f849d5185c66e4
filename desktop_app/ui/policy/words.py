"""Names of fields, groups and policies, as the page of policies shows them."""

from __future__ import annotations

from typing import NamedTuple

from desktop_app.context.fitting import LIMITED_BY, share_in_tokens
from desktop_app.context.own_policies import in_words
from desktop_app.context.policy import Budget, ContextPolicy
from desktop_app.context.policy_sources import SOURCES, FieldSource
from desktop_app.context.presets import PRESETS

COMMON = {
    "reserve_share_of_window": "Reserved for the reply",
    "background_at": "In the background, after a turn",
    "prune_at": "Shorten old tool results",
    "compact_at": "Compact",
    "blocked_at": "Nothing is sent",
    "truncate_share": "One tool result",
    "truncate_other_tools": "One tool result, in characters",
    "protect_newest": "Newest messages never shortened",
    "prune_target": "Shorten down to",
    "target": "Compact down to",
    "tail_most": "Newest messages kept word for word",
    "summary_most": "Length of the summary",
    "keep_user_tokens": "Your own messages kept word for word",
    "strategy": "Who writes the summary",
    "stream_stop_at": "A streaming reply is stopped",
    "memory_most": "Memories in the system prompt",
    "recall_most": "Brought back by one recall",
}
"""The fields that people change; the others of a group are folded."""
LIKE_PROGRAMS = {
    "opencode": "Like OpenFork",
    "lmstudio": "Like LM Studio",
    "spec008": "Like SPEC-008",
    "goagent": "Like the Go agent",
    "seline": "Like Seline",
}
PROGRAMS = {
    "0": "OpenFork",
    "1": "LM Studio",
    "2": "SPEC-008",
    "3": "Go agent",
    "4": "Seline",
    "+": "Palimpsest",
}


def field_label(field: str) -> str:
    """Return "Compact", or for a field that few people change, its name in words."""
    return COMMON.get(field) or field.removeprefix("is_").replace("_", " ").capitalize()


def policy_label(name: str) -> str:
    """Return the name as it is shown."""
    return LIKE_PROGRAMS.get(name) or (name.capitalize() if name in PRESETS else name)


def about_field(source: FieldSource) -> str:
    """Return what the number means, and who asked for it."""
    unit = "" if source.unit in ("share", "shares", "factor", "") else f"{source.unit} "
    programs = ", ".join(PROGRAMS[one] for one in source.documents.split())
    return f"{unit}{source.meaning} · {programs}"


class Window(NamedTuple):
    """The window of the open conversation, and the numbers as they act in it."""

    budget: Budget
    acting: ContextPolicy


def acting_words(source: FieldSource, policy: ContextPolicy, window: Window | None) -> str:
    """Return "here 19,200 tokens" for a share, and where another number acts in the window; else ""."""
    if window is None or window.budget.usable <= 0:
        return ""
    field, acting = source.field, window.acting
    if (tokens := share_in_tokens(field, acting, window.budget)) is not None:
        return f"here {tokens:,} tokens"
    if other := LIMITED_BY.get(field):
        return f"here {in_words(getattr(acting, other), SOURCES[other].unit)}"
    chosen, here = getattr(policy, field), getattr(acting, field)
    return "" if chosen == here or not isinstance(here, int | float) else f"here {in_words(here, source.unit)}"
