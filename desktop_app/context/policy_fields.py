"""The fields of a policy with their groups and bounds, read from the table in `policy.py`."""

from __future__ import annotations

from typing import Any, cast, get_type_hints

import msgspec

from desktop_app.conversation.words import translatable

from .policy import BALANCED, NO_LIMIT, Budget, ContextPolicy, Number

GROUPS_BY_FIRST_FIELD = {
    "reserve_tokens": translatable("The budget"),
    "is_automatic": translatable("When room is made"),
    "truncate_lines": translatable("Layer 1: cut oversized results"),
    "prune_order": translatable("Layer 2: shorten old results"),
    "strategy": translatable("Layer 3: summarize older messages"),
    "stream_stop_at": translatable("While a reply streams, at tool results, after an overflow"),
    "flush_distance": translatable("Memory"),
    "research_rounds": translatable("Besides the conversation: research and images"),
}
BOUNDS_OF_UNIT: dict[str, tuple[float, float]] = {
    "": (0, 0),
    "share": (0, 1),
    "shares": (0, 1),
    "factor": (0.01, 10),
    "tokens": (0, 2_000_000),
    "lines": (10, 100_000),
    "bytes": (1_000, 10_000_000),
    "characters": (0, 10_000_000),
    "messages": (0, 10_000),
    "turns": (0, 100),
    "results": (0, 1_000),
    "calls": (0, 10),
    "seconds": (0, 86_400),
    "days": (1, 3_650),
    "compactions": (0, 1_000),
    "restarts": (0, 20),
    "retries": (0, 20),
    "tries": (1, 20),
}
_UNLIMITED = ("tokens", "lines", "bytes", "characters", "messages")
"""Units of numbers that may also be unlimited."""


class FieldSource(msgspec.Struct, frozen=True):
    """A field of the policy with its number's description and bounds."""

    field: str
    number: Number
    least: float
    most: float
    """The bounds of the number, or of each number in a list; fields without a unit have none."""

    @property
    def unit(self) -> str:
        return self.number.unit

    @property
    def meaning(self) -> str:
        return self.number.meaning

    @property
    def may_be_unlimited(self) -> bool:
        return self.unit in _UNLIMITED or getattr(BALANCED, self.field) == NO_LIMIT

    def has_within(self, value: Any) -> bool:
        """Return whether the value is within the field's bounds."""
        if isinstance(value, tuple):
            elements = cast("tuple[Any, ...]", value)
            return all(self.has_within(element[-1] if isinstance(element, tuple) else element) for element in elements)
        if isinstance(value, bool | str):
            return True
        return self.least <= value <= self.most or (self.may_be_unlimited and value == NO_LIMIT)


class FieldGroup(msgspec.Struct, frozen=True):
    """The fields of one layer or phase, in the order in which they are printed."""

    title: str
    sources: tuple[FieldSource, ...]


def _groups() -> tuple[FieldGroup, ...]:
    groups: list[FieldGroup] = []
    for field, hint in get_type_hints(ContextPolicy, include_extras=True).items():
        if field in GROUPS_BY_FIRST_FIELD:
            groups.append(FieldGroup(GROUPS_BY_FIRST_FIELD[field], ()))
        for number in getattr(hint, "__metadata__", ()):
            source = FieldSource(field, number, *(number.bounds or BOUNDS_OF_UNIT[number.unit]))
            groups[-1] = FieldGroup(groups[-1].title, (*groups[-1].sources, source))
    return tuple(groups)


GROUPS = _groups()
SOURCES = {source.field: source for group in GROUPS for source in group.sources}


def share_in_tokens(field: str, acting: ContextPolicy, budget: Budget) -> int | None:
    """Return the tokens of a share in a window. The chat's window is also used for shares of another model's reply.

    None for fields that are not shares of tokens, and for shares that limit another number. acting: as returned by
    `acting_policy`.
    """
    share, number = getattr(acting, field), SOURCES[field].number
    if number.of == "usable":
        return round(share * budget.usable)
    return round(share * budget.window) if number.of == "window" else None
