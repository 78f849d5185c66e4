"""Cut points: each invariant yields the indices before which a cut would break it; all others are cut points.

The items are those of a view, where results stand directly behind their calls (`normalize.NormalizedSequence`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress, pairwise

from desktop_app.conversation.message import Reasoning, Role

from .items import Item, ItemKind, is_of_user

_TOOL, _ASSISTANT = Role.TOOL, Role.ASSISTANT
_WITH_NEXT = (ItemKind.SYNTHETIC, ItemKind.RECALLED)
# To look a member of an enumeration up takes 0.4 µs each time, as long as all else that is done with an item here.

Invariant = Callable[[Sequence[Item]], Iterable[int]]


def results_follow_their_calls(items: Sequence[Item]) -> Iterable[int]:
    """A call and all of its results, those of parallel calls too, stay together."""
    return (i for i, item in enumerate(items) if item.message.role is _TOOL)


def replies_stay_whole(items: Sequence[Item]) -> Iterable[int]:
    """Messages that are sent as one reply, such as calls that were recorded one by one, stay together.

    A user's messages that are sent as one may part: each was said for itself.
    """
    return (i for i, item in enumerate(items) if item.is_joined and item.message.role is _ASSISTANT)


def reasoning_stays_with_its_calls(items: Sequence[Item]) -> Iterable[int]:
    """Reasoning stays with the calls that it led to, where these were recorded behind it."""
    return (i for i, (before, item) in _pairs(items) if item.message.role is _ASSISTANT and _ends_in_reasoning(before))


def pins_keep_their_question(items: Sequence[Item]) -> Iterable[int]:
    """A pinned answer stays with the user's message that it directly answers."""
    return (i for i, (before, item) in _pairs(items) if item.is_pinned and is_of_user(before) and not is_of_user(item))


def synthetic_items_stay_with_their_cause(items: Sequence[Item]) -> Iterable[int]:
    """What the view put before a message stays with that message; a missing result belongs to its call."""
    return (i for i, item in enumerate(items, 1) if item.kind in _WITH_NEXT and item.message.role is not _TOOL)


INVARIANTS: tuple[Invariant, ...] = (
    results_follow_their_calls,
    replies_stay_whole,
    reasoning_stays_with_its_calls,
    pins_keep_their_question,
    synthetic_items_stay_with_their_cause,
)


def cut_points(items: Sequence[Item], invariants: Sequence[Invariant] = INVARIANTS) -> list[int]:
    """Return the indices before which the items may be cut. Both ends are always among them."""
    is_legal = bytearray(b"\1") * (len(items) + 1)
    for broken_at in invariants:
        for index in broken_at(items):
            is_legal[index] = 0
    is_legal[0] = is_legal[-1] = 1
    return list(compress(range(len(items) + 1), is_legal))


def blocks(items: Sequence[Item]) -> list[range]:
    """Return the runs of items between neighbouring cut points, which leave or stay whole."""
    return [range(start, end) for start, end in pairwise(cut_points(items))]


def _pairs(items: Sequence[Item]) -> Iterable[tuple[int, tuple[Item, Item]]]:
    return enumerate(pairwise(items), 1)


def _ends_in_reasoning(item: Item) -> bool:
    parts = item.message.parts
    return bool(parts) and isinstance(parts[-1], Reasoning)
