"""Where history may be cut: an invariant says between which neighbours it allows a cut, and all of them must.

The items are those of a view, where results stand directly behind their calls (`items.LegalSequence`), so that each
rule can be told from two neighbours alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

from desktop_app.conversation.message import Reasoning, Role

from .items import Item, Kind, is_of_user


class Invariant(Protocol):
    """Something that a cut must not part."""

    def allows(self, before: Item, after: Item) -> bool:
        """Whether a cut between these two neighbours is legal."""
        ...


class ResultsFollowTheirCalls:
    """A call and all of its results, those of parallel calls too, stay together."""

    def allows(self, before: Item, after: Item) -> bool:
        """Results are the only tool messages, and stand behind their calls."""
        return after.message.role is not Role.TOOL


class RepliesStayWhole:
    """Messages that are sent as one reply, such as calls that were recorded one by one, stay together."""

    def allows(self, before: Item, after: Item) -> bool:
        """A user's messages that are sent as one may part: each was said for itself."""
        return not (after.is_joined and after.message.role is Role.ASSISTANT)


class ReasoningStaysWithItsCalls:
    """What the model thought stays with the calls that it led to."""

    def allows(self, before: Item, after: Item) -> bool:
        """Reasoning at the end of a message belongs to the reply behind it."""
        parts = before.message.parts
        return not (parts and isinstance(parts[-1], Reasoning) and after.message.role is Role.ASSISTANT)


class PinsKeepTheirQuestion:
    """A pinned answer stays with the user's message that it answers."""

    def allows(self, before: Item, after: Item) -> bool:
        """Only what stands directly behind the user's message is its answer."""
        return not (after.is_pinned and is_of_user(before) and not is_of_user(after))


class MadeUpStaysWithItsCause:
    """What the view put between two messages goes with the second one, for which it was put there."""

    def allows(self, before: Item, after: Item) -> bool:
        """Made-up results belong to their calls, in front of them."""
        return before.kind is not Kind.MADE_UP or before.message.role is Role.TOOL


INVARIANTS: tuple[Invariant, ...] = (
    ResultsFollowTheirCalls(),
    RepliesStayWhole(),
    ReasoningStaysWithItsCalls(),
    PinsKeepTheirQuestion(),
    MadeUpStaysWithItsCause(),
)


def legal_cuts(items: Sequence[Item], invariant: Invariant) -> set[int]:
    """Indices before which that invariant allows a cut; both ends are always legal."""
    inside = (i for i, (before, after) in enumerate(pairwise(items), 1) if invariant.allows(before, after))
    return {0, *inside, len(items)}


def cut_points(items: Sequence[Item], invariants: Sequence[Invariant] = INVARIANTS) -> list[int]:
    """Indices before which the items may be cut, both ends included: the intersection of what each allows."""
    legal = set(range(len(items) + 1))
    for invariant in invariants:
        legal &= legal_cuts(items, invariant)
    return sorted(legal)


def blocks(items: Sequence[Item]) -> list[range]:
    """The runs of items between neighbouring cut points: what leaves or stays, leaves or stays whole."""
    return [range(start, end) for start, end in pairwise(cut_points(items))]
