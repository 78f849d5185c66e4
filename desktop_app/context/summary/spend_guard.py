"""The spend guard (K3): how often a model may be asked for a summary without the user's word.

It bounds the cost of a loop that compacts again and again: after so many requests within some minutes, summaries are
written without a model until the oldest of them is that long ago.
"""

from __future__ import annotations

import msgspec

from desktop_app.context.policy import ContextPolicy


class Spending(msgspec.Struct, frozen=True):
    """When models were asked for summaries without the user's word."""

    times: tuple[float, ...] = ()
    """Seconds since 1970, oldest first."""

    def after(self, now: float, policy: ContextPolicy) -> Spending:
        """Return the value with a request at `now` added and expired ones removed."""
        return Spending((*self._counting(now, policy), now))

    def paused_until(self, now: float, policy: ContextPolicy) -> float | None:
        """Return when a model may be asked again; None if that is now, or if the policy has no limit (0)."""
        counting = self._counting(now, policy)
        if not policy.spend_most or len(counting) < policy.spend_most:
            return None
        return counting[-policy.spend_most] + policy.spend_seconds

    def _counting(self, now: float, policy: ContextPolicy) -> tuple[float, ...]:
        # A time in the future means that the clock was set back, and would pause for as long as that.
        return tuple(time for time in self.times if now - policy.spend_seconds < time <= now)
