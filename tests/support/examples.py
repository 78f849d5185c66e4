"""How many examples Hypothesis tries, by PALIMPSEST_HYPOTHESIS: "few" in packaging/check, "some" in packaging/test,
"slow", or "fast", which is as many as a test asks for."""

from __future__ import annotations

import os

SHARES = {"few": 0.15, "some": 0.4, "fast": 1.0, "slow": 20.0}
SHARE = SHARES[os.environ.get("PALIMPSEST_HYPOTHESIS", "fast")]
USUAL = 100


def examples(usual: int = USUAL) -> int:
    """For `max_examples`: the usual number by the profile, at least 5."""
    return max(round(usual * SHARE), 5)
