"""What is done about a provider's error before the user is troubled with it (S5). Pure."""

from __future__ import annotations

import msgspec

from desktop_app.chat.ports import ErrorKind, ModelError
from desktop_app.context.policy import ContextPolicy

WAITS: dict[ErrorKind, tuple[float, ...]] = {
    "rate_limit": (2.0, 4.0, 8.0, 16.0),
    "server": (1.0, 2.0, 4.0, 8.0),
    "connection": (0.5, 1.0),
    "timeout": (1.0,),
    "cut": (0.5,),
}
"""Seconds before each repetition. What is not named here would fail in the same way again: a key, a quota, a filter."""
METADATA_REFUSALS: tuple[ErrorKind, ...] = ("malformed", "provider")
"""The kinds of error by which providers refuse metadata: hardly two word it in the same way."""


class Tried(msgspec.Struct):
    """How often each was done already about the errors of one reply."""

    waits: int = 0
    rooms: int = 0
    drops: int = 0


class Wait(msgspec.Struct, frozen=True):
    """Ask again after some seconds."""

    seconds: float


class MakeRoom(msgspec.Struct, frozen=True):
    """Prune and compact, then ask again."""


class DropResults(msgspec.Struct, frozen=True):
    """Drop that share of the tool results, then ask again."""

    share: float


class GiveUp(msgspec.Struct, frozen=True):
    """Tell the user."""


Reaction = Wait | MakeRoom | DropResults | GiveUp


def reaction_to(
    error: ModelError, tried: Tried, policy: ContextPolicy, is_automatic: bool, has_arrived: bool
) -> Reaction:
    """Return what to do next.

    is_automatic: whether anything may be shortened without the user's word. has_arrived: part of the reply was shown
    already; it is kept and the user decides, since another attempt would repeat it.
    """
    if has_arrived:
        return GiveUp()
    if error.is_overflow:
        return _to_overflow(tried, policy) if is_automatic else GiveUp()
    waits = WAITS.get(error.kind, ())
    if tried.waits >= len(waits):
        return GiveUp()
    seconds = waits[tried.waits] if error.retry_after is None else max(error.retry_after, 0.0)
    return Wait(seconds) if seconds <= policy.retry_wait_most else GiveUp()


def _to_overflow(tried: Tried, policy: ContextPolicy) -> Reaction:
    if tried.rooms < policy.overflow_retries:
        return MakeRoom()
    return DropResults(policy.overflow_shed[tried.drops]) if tried.drops < len(policy.overflow_shed) else GiveUp()
