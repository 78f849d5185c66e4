"""The part of a request that its provider has cached: its tokens, and for how long. Pure.

A provider caches the beginning of a request, byte for byte. Entries that only add to the view leave that beginning as
it was; operations, undos and another system prompt or set of tools change it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from desktop_app.conversation.message import Message, Role
from desktop_app.conversation.transcript import GROWING, AnyEntry, Pin, Rewind, Switch, Unpin

KEEPS_BEGINNING = (*GROWING, Pin, Unpin, Rewind, Switch)
"""Entries that leave the beginning of the current branch's requests as it was."""


class CachedPrefix(msgspec.Struct, frozen=True):
    """The beginning of the next request, which the provider has read before."""

    tokens: int
    """As the provider counted them."""
    seconds_left: float | None = None
    """Seconds until it expires; None if it does not."""


def cached_prefix(path: Sequence[AnyEntry], model: str, life: float | None, now: float) -> CachedPrefix | None:
    """Return the cached beginning of the next request to a model; None if its cache is cold.

    path: the entries of the current branch. model: its name in the record. life: seconds for which its provider keeps a
    prefix after its last use; None for no end, 0 if it keeps none. now: seconds since 1970.
    """
    if life is not None and life <= 0:
        return None
    changes_after = False
    for index in range(len(path) - 1, -1, -1):
        entry = path[index]
        if isinstance(entry, Message) and entry.role is Role.ASSISTANT and entry.model == model:
            if changes_after or entry.usage is None or _is_changed_since(path, index, entry.as_of):
                return None
            left = None if life is None else life - max(now - entry.at, 0.0)
            is_warm = (left is None or left > 0) and entry.usage.prompt_tokens > 0
            return CachedPrefix(entry.usage.prompt_tokens, left) if is_warm else None
        changes_after = changes_after or not isinstance(entry, KEEPS_BEGINNING)
    return None


def _is_changed_since(path: Sequence[AnyEntry], index: int, as_of: str) -> bool:
    """Return whether the beginning of requests was changed while the request of the reply at `index` was under way."""
    for before in range(index - 1, -1, -1):
        if not as_of or path[before].id == as_of:
            return False
        if not isinstance(path[before], KEEPS_BEGINNING):
            return True
    return False
