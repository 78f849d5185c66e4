"""The spend guard (K3): how often a model may be asked for a summary without the user's word.

A loop that compacts again and again, whatever its reason, costs little: after so many within some minutes, code writes
the summaries until the oldest of them is that long ago.
"""

from __future__ import annotations

import msgspec

from desktop_app.context.policy import ContextPolicy


class Spending(msgspec.Struct, frozen=True):
    """When models were asked for summaries without the user's word. times: seconds since 1970, oldest first."""

    times: tuple[float, ...] = ()

    def after(self, now: float, policy: ContextPolicy) -> Spending:
        """With one more that begins now; what does not count any more is forgotten."""
        return Spending((*self._counting(now, policy), now))

    def paused_until(self, now: float, policy: ContextPolicy) -> float | None:
        """When one may be asked again; None if that is now. Policies with a limit of 0 know no pause."""
        counting = self._counting(now, policy)
        if not policy.spend_most or len(counting) < policy.spend_most:
            return None
        return counting[-policy.spend_most] + policy.spend_seconds

    def _counting(self, now: float, policy: ContextPolicy) -> tuple[float, ...]:
        # A time that lies ahead means that the clock was set back: it would pause for as long as that.
        return tuple(time for time in self.times if now - policy.spend_seconds < time <= now)
