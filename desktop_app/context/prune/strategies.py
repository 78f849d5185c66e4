"""The strategies by name, as `ContextPolicy.prune_order` names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from desktop_app.context.policy import ContextPolicy

from .digest import digest
from .exchange import Change, Exchange
from .hard_clear import hard_clear
from .old_errors import old_errors
from .oversized import oversized
from .repeats import repeats
from .soft_trim import soft_trim
from .superseded import superseded

Strategy = Callable[[Sequence[Exchange], ContextPolicy, int], Iterator[Change]]
"""Proposes changes, oldest first, to exchanges as they are by now; the number is how many tokens are still too many."""

STRATEGIES: dict[str, Strategy] = {
    "repeats": repeats,
    "superseded": superseded,
    "old_errors": old_errors,
    "truncate": oversized,
    "soft_trim": soft_trim,
    "digest": digest,
    "hard_clear": hard_clear,
}


def strategy_named(name: str) -> Strategy:
    """The strategy of that name; ValueError names those that there are."""
    if name not in STRATEGIES:
        raise ValueError(f"No prune strategy is called {name!r}. There are: {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]
