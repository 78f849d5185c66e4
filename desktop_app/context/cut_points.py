"""Where history may be cut: never between a tool call and its results, which therefore form one block."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from desktop_app.conversation.message import Role

from .view import Item


def cut_points(items: Sequence[Item]) -> list[int]:
    """Indices before which the items may be cut, 0 and the end included.

    In a view the results of a message's calls stand directly behind it (`view.legal`), so a cut is legal
    everywhere but before a tool message.
    """
    inside = [index for index, item in enumerate(items) if item.message.role is not Role.TOOL]
    return [*inside, len(items)]


def blocks(items: Sequence[Item]) -> list[range]:
    """The runs of items between neighbouring cut points: what leaves or stays, leaves or stays whole."""
    points = cut_points(items)
    return [range(start, end) for start, end in pairwise(points)]
