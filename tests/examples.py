"""How many examples Hypothesis tries: PALIMPSEST_HYPOTHESIS is "few" (packaging/check), "fast" (usual) or "slow"."""

from __future__ import annotations

import os

SHARES = {"few": 0.15, "fast": 1.0, "slow": 20.0}
SHARE = SHARES[os.environ.get("PALIMPSEST_HYPOTHESIS", "fast")]
USUAL = 100


def examples(usual: int = USUAL) -> int:
    """For `max_examples`: the usual number by the profile, at least 5."""
    return max(round(usual * SHARE), 5)
