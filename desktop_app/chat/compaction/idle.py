"""Decide when a conversation that nobody uses is compacted: shortly before its provider's large cache expires.

Until then the provider reads the conversation for a summary at the price of its cache. A message that is sent later has
the whole conversation read at the full price.
"""

from __future__ import annotations

import math

from desktop_app.chat.session import Session
from desktop_app.chat.turn_services import Services
from desktop_app.conversation.transcript import Trigger

LEAD, LEAD_SHARE = 60.0, 0.1
"""Seconds before the cache expires, at most, and their maximum share of its life: one request must begin by then."""


def seconds_until_idle(session: Session, services: Services) -> float | None:
    """Return the seconds until the conversation should be compacted if nobody uses it by then, 0 for now.

    None if it should not: the user does not want it, room is not made automatically, nothing would leave, or its cache
    is cold, small, or kept without an end.
    """
    counter = session.counter
    if not services.settings().is_compacting_idle or not counter.policy.is_automatic:
        return None
    prefix, least = counter.cached_prefix(), counter.policy.warn_cached
    if prefix is None or prefix.seconds_left is None or not least or prefix.tokens < least:
        return None
    if not counter.budget.window or not counter.is_room_due(Trigger.IDLE):
        return None
    lead = min(LEAD, counter.policy.cache_seconds * LEAD_SHARE)
    return max(prefix.seconds_left - lead, 0.0) if math.isfinite(prefix.seconds_left) else None
