"""Where history may be cut: each invariant names the indices where a cut would break it; what none names is legal.

The items are those of a view, where results stand directly behind their calls (`legal.LegalSequence`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress, pairwise
from typing import Protocol

from desktop_app.conversation.message import Reasoning, Role

from .items import Item, ItemKind, is_of_user

_TOOL, _ASSISTANT = Role.TOOL, Role.ASSISTANT
_WITH_NEXT = (ItemKind.MADE_UP, ItemKind.RECALLED)
# To look a member up takes 0.4 µs each time, as long as all else that is done with an item here.


class Invariant(Protocol):
    """Something that a cut must not part."""

    def broken_at(self, items: Sequence[Item]) -> Iterable[int]:
        """Indices before which a cut would part it."""
        ...


class ResultsFollowTheirCalls:
    """A call and all of its results, those of parallel calls too, stay together."""

    def broken_at(self, items: Sequence[Item]) -> Iterable[int]:
        """Results are the only tool messages, and stand behind their calls."""
        return (i for i, item in enumerate(items) if item.message.role is _TOOL)


class RepliesStayWhole:
    """Messages that are sent as one reply, such as calls that were recorded one by one, stay together.

    A user's messages that are sent as one may part: each was said for itself.
    """

    def broken_at(self, items: Sequence[Item]) -> Iterable[int]:
        """The continuations of a reply."""
        return (i for i, item in enumerate(items) if item.is_joined and item.message.role is _ASSISTANT)


class ReasoningStaysWithItsCalls:
    """What the model thought stays with the calls that it led to, where these were recorded behind it."""

    def broken_at(self, items: Sequence[Item]) -> Iterable[int]:
        """Behind a message that ends in reasoning and before the reply that goes on with it."""
        return (
            i
            for i, item in enumerate(items[1:], 1)
            if item.message.role is _ASSISTANT and _ends_in_reasoning(items[i - 1])
        )


class PinsKeepTheirQuestion:
    """A pinned answer stays with the user's message that it directly answers."""

    def broken_at(self, items: Sequence[Item]) -> Iterable[int]:
        """Between a user's message and the pinned reply behind it."""
        return (
            i
            for i, item in enumerate(items[1:], 1)
            if item.is_pinned and is_of_user(items[i - 1]) and not is_of_user(item)
        )


class MadeUpStaysWithItsCause:
    """What the view put before a message goes with that one, for which it was put there."""

    def broken_at(self, items: Sequence[Item]) -> Iterable[int]:
        """Behind what was made up; a made-up result belongs to its call, in front of it."""
        return (i for i, item in enumerate(items, 1) if item.kind in _WITH_NEXT and item.message.role is not _TOOL)


INVARIANTS: tuple[Invariant, ...] = (
    ResultsFollowTheirCalls(),
    RepliesStayWhole(),
    ReasoningStaysWithItsCalls(),
    PinsKeepTheirQuestion(),
    MadeUpStaysWithItsCause(),
)


def cut_points(items: Sequence[Item], invariants: Sequence[Invariant] = INVARIANTS) -> list[int]:
    """Indices before which the items may be cut: those that no invariant forbids. Both ends are always legal."""
    is_legal = bytearray(b"\1") * (len(items) + 1)
    for invariant in invariants:
        for index in invariant.broken_at(items):
            is_legal[index] = 0
    is_legal[0] = is_legal[-1] = 1
    return list(compress(range(len(items) + 1), is_legal))


def blocks(items: Sequence[Item]) -> list[range]:
    """The runs of items between neighbouring cut points: what leaves or stays, leaves or stays whole."""
    return [range(start, end) for start, end in pairwise(cut_points(items))]


def _ends_in_reasoning(item: Item) -> bool:
    parts = item.message.parts
    return bool(parts) and isinstance(parts[-1], Reasoning)
