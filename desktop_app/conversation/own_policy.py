"""A policy of the user's own, as it stands in the settings: a preset, and what is different."""

from __future__ import annotations

from typing import Any

import msgspec


class OwnPolicy(msgspec.Struct, frozen=True):
    """A preset with other numbers. `context/own_policies.py` checks them, and leaves out what is wrong."""

    name: str
    """Unique, and not that of a preset."""
    based_on: str = "balanced"
    """The name of the preset."""
    numbers: dict[str, Any] = {}
    """The fields of `ContextPolicy` that differ, by name."""
