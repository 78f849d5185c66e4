"""Where a view may be cut: its items in blocks, each of which leaves or stays whole.

The items are those of a view, where results stand directly behind their calls (`normalize.NormalizedSequence`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from desktop_app.conversation.message import Reasoning, Role

from .items import Item, ItemKind, is_of_user

_TOOL, _ASSISTANT = Role.TOOL, Role.ASSISTANT
_WITH_NEXT = (ItemKind.SYNTHETIC, ItemKind.RECALLED)
# To look a member of an enumeration up takes 0.4 µs each time, as long as all else that is done with an item here.


def is_inseparable(before: Item, item: Item) -> bool:
    """Return whether two neighbours must not be parted."""
    role, parts = item.message.role, before.message.parts
    return (
        # A call and all of its results, those of parallel calls too, stay together.
        role is _TOOL
        # Messages that are sent as one reply stay together. Those of a user may part: each was said for itself.
        or (role is _ASSISTANT and item.is_joined)
        # Reasoning stays with the calls that it led to, where these were recorded behind it.
        or (role is _ASSISTANT and bool(parts) and isinstance(parts[-1], Reasoning))
        # A pinned answer stays with the user's message that it directly answers.
        or (item.is_pinned and is_of_user(before) and not is_of_user(item))
        # What the view put before a message stays with that message; a missing result belongs to its call.
        or (before.kind in _WITH_NEXT and before.message.role is not _TOOL)
    )


def cut_points(items: Sequence[Item]) -> list[int]:
    """Return the indices before which the items may be cut. Both ends are always among them."""
    inner = (index for index, pair in enumerate(pairwise(items), 1) if not is_inseparable(*pair))
    return [0, *inner, len(items)] if items else [0]


def blocks(items: Sequence[Item]) -> list[range]:
    """Return the runs of items between neighbouring cut points, which leave or stay whole."""
    return [range(start, end) for start, end in pairwise(cut_points(items))]
